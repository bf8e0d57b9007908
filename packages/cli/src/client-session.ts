/**
 * Shared by the client commands: common options, the client of a command, and the mapping of errors to output and exit
 * codes.
 */

import {
  createHubClient,
  type HubClient,
  Interrupted,
  ProblemError,
  type RepoName,
  TransferError,
} from '@hub/client/internal'
import { defaultRetry } from '@hub/client/retry'
import { type Command, InvalidArgumentError } from 'commander'
import { type ClientIo, countText, exitCode, exitCodeOf, exitCodesHelp, sizeText } from './client-output.ts'
import { type ClientSettings, clientSettings } from './client-settings.ts'
import { NotLoggedIn, UsageError } from './command-errors.ts'
import { interrupted, reportError } from './report-error.ts'
import { toldRetry } from './retry-notice.ts'
import { print, printJson } from './terminal.ts'

export interface CommonOptions {
  readonly url?: string
  readonly tokenFile?: string
  readonly json?: boolean
}

/** The result of a command: the `--json` object, the text output and the exit code. */
export interface CommandResult {
  readonly json: unknown
  readonly text: string
  readonly code?: number
}

/** The work of a command. A number is the exit code of work that did its own output. */
export type Work = (client: HubClient, settings: ClientSettings) => Promise<CommandResult | number>

/** Runs the work of a command by its options; an error is printed, and is its exit code. */
export type Start = (options: CommonOptions, work: Work) => Promise<void>

export { UsageError }

/** Adds the options that every client command has. */
export function common(command: Command, io: ClientIo, codes = exitCodesHelp): Command {
  return command
    .option('--url <url>', 'URL of the hub (default: HUB_URL, else http://127.0.0.1:4000)')
    .option('--token-file <file>', 'file that contains the token (default: HUB_TOKEN)')
    .option('--json', 'one JSON object on standard output')
    .addHelpText('after', codes)
    .exitOverride((error) => {
      io.exit(error.exitCode === 0 ? exitCode.ok : exitCode.usage)
      throw error
    })
}

/** Parses `owner/slug`. */
export function repoName(text: string): RepoName {
  const [owner, slug, ...more] = text.split('/')
  if (!owner || !slug || more.length > 0)
    throw new UsageError(`${JSON.stringify(text)} is not a repo: it must be owner/slug.`)
  return { owner, slug }
}

/** `owner/slug` as the parameters of a path below `/v1/repos/{owner}/{repo}`. */
export function pathOf(text: string): { readonly owner: string; readonly repo: string } {
  const { owner, slug } = repoName(text)
  return { owner, repo: slug }
}

/** Option parser for repeatable options. */
export function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

/** Option parser for an integer of at least `from`. */
export function wholeFrom(from: number, to = Number.MAX_SAFE_INTEGER) {
  return (value: string): number => {
    const count = Number(value)
    if (value.trim() !== '' && Number.isInteger(count) && count >= from && count <= to) return count
    throw new InvalidArgumentError(
      to === Number.MAX_SAFE_INTEGER
        ? `It must be a whole number, ${from} or more.`
        : `It must be a whole number from ${from} to ${to}.`,
    )
  }
}

/** Runs a command and maps its result or error to output and exit code. */
export async function runCommand(io: ClientIo, options: CommonOptions, work: Work): Promise<void> {
  const interrupt = new AbortController()
  const removeListener = io.onInterrupt(() => interrupt.abort(new Error('interrupted')))
  const asJson = options.json ?? false
  let settings: ClientSettings | null = null
  try {
    settings = await clientSettings(io, options)
    const retry = asJson ? defaultRetry : toldRetry(io.stderr)
    const client = createHubClient({ url: settings.url, token: settings.token, retry, signal: interrupt.signal })
    const result = await work(client, settings)
    if (typeof result === 'number') return io.exit(result)
    if (options.json) printJson(io.stdout, result.json)
    else print(io.stdout, result.text)
    io.exit(result.code ?? exitCode.ok)
  } catch (error) {
    if (interrupt.signal.aborted) {
      reportError(
        io,
        interrupted(`${interruptedText(error, asJson)}interrupted; run the same command again to resume.`),
        asJson,
      )
      return io.exit(exitCode.interrupted)
    }
    const shown = settings === null ? error : withLogin(error, settings)
    reportError(io, shown, asJson)
    io.exit(exitCodeOf(shown))
  } finally {
    removeListener()
  }
}

/** What an interrupted transfer has done; empty for other work. */
function interruptedText(error: unknown, asJson: boolean): string {
  if (!(error instanceof Interrupted)) return ''
  const { files, bytes, ofFiles, ofBytes, partialBytes } = error.done
  const partial = partialBytes > 0 ? `, and ${sizeText(partialBytes)} of unfinished files are kept` : ''
  return `${files} of ${countText(ofFiles, 'file')} done (${sizeText(bytes)} of ${sizeText(ofBytes)})${partial}${asJson ? '; ' : '\n'}`
}

/**
 * Says that the caller is not logged in where that is the reason, and where it may be; of a hub that does not answer,
 * what to do.
 */
export function withLogin(error: unknown, { url, token, tokenFrom }: ClientSettings): unknown {
  if (error instanceof TransferError && error.isUnreachable && error.where.startsWith(url))
    return new TransferError(`${error.message}. Is the hub running? HUB_URL or --url names another one.`, error.where, {
      cause: error,
    })
  if (!(error instanceof ProblemError)) return error
  if (error.status === 401) return new NotLoggedIn(url, token === null ? null : tokenFrom, error)
  if (error.status !== 404 || token !== null) return error
  return new ProblemError(
    404,
    {
      type: error.kind,
      title: error.title,
      detail: `${error.message} You are not logged in to ${url}, so only public things are visible: run \`hub login\`.`,
      errors: error.entries,
    },
    error.requestId,
  )
}
