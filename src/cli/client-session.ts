/** Shared by the client commands: common options, the client of a command, and the mapping of errors to output and exit codes. */
import { type Command, InvalidArgumentError } from 'commander'
import { createHubClient, type HubClient, type RepoName } from '../client/index.ts'
import { type ClientIo, exitCode, exitCodeOf, exitCodesHelp, explain } from './client-output.ts'
import { type ClientSettings, clientSettings } from './client-settings.ts'
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

/** Wrong usage of the command: exit code 2. */
export class UsageError extends Error {}

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
  try {
    const settings = await clientSettings(io, options)
    const client = createHubClient({ url: settings.url, token: settings.token, signal: interrupt.signal })
    const result = await work(client, settings)
    if (typeof result === 'number') return io.exit(result)
    if (options.json) printJson(io.stdout, result.json)
    else print(io.stdout, result.text)
    io.exit(result.code ?? exitCode.ok)
  } catch (error) {
    if (interrupt.signal.aborted) {
      print(io.stderr, 'hub: interrupted; run the same command again to resume.\n')
      return io.exit(exitCode.interrupted)
    }
    print(io.stderr, explain(error))
    io.exit(error instanceof UsageError ? exitCode.usage : exitCodeOf(error))
  } finally {
    removeListener()
  }
}
