/** What the client's commands share: their common options, one client for the time of a command, and errors turned into lines and exit codes. */
import { type Command, InvalidArgumentError } from 'commander'
import { createHubClient, type HubClient } from '../client/index.ts'
import { type ClientIo, exitCode, exitCodeOf, exitCodesHelp, explain } from './client-output.ts'
import { type ClientSettings, clientSettings } from './client-settings.ts'
import { print, printJson } from './terminal.ts'

export interface CommonOptions {
  readonly url?: string
  readonly tokenFile?: string
  readonly json?: boolean
}

/** What a command ends with: the object of `--json`, the lines for a person, and its exit code. */
export interface Ended {
  readonly json: unknown
  readonly text: string
  readonly code?: number
}

/** A number is the exit code of work that has written all itself. */
export type Work = (client: HubClient, settings: ClientSettings) => Promise<Ended | number>

/** The command was called with what makes no sense: exit code 2. */
export class UsageError extends Error {}

/** Adds the options that every client command has. */
export function common(command: Command, io: ClientIo, codes = exitCodesHelp): Command {
  return command
    .option('--url <url>', 'the hub (default: HUB_URL, else http://127.0.0.1:4000)')
    .option('--token-file <file>', 'a file that holds the token (default: HUB_TOKEN)')
    .option('--json', 'one JSON object on standard output')
    .addHelpText('after', codes)
    .exitOverride((error) => {
      io.exit(error.exitCode === 0 ? exitCode.ok : exitCode.usage)
      throw error
    })
}

/** For options that can be given more than once. */
export function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

/** Reads an option that is a whole number, `from` or more. */
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

/** Runs a command's work and turns its end, or its error, into output and exit code. */
export async function runCommand(io: ClientIo, options: CommonOptions, work: Work): Promise<void> {
  const interrupt = new AbortController()
  const off = io.onInterrupt(() => interrupt.abort(new Error('interrupted')))
  try {
    const settings = await clientSettings(io, options)
    const client = createHubClient({ url: settings.url, token: settings.token, signal: interrupt.signal })
    const ended = await work(client, settings)
    if (typeof ended === 'number') return io.exit(ended)
    if (options.json) printJson(io.stdout, ended.json)
    else print(io.stdout, ended.text)
    io.exit(ended.code ?? exitCode.ok)
  } catch (error) {
    if (interrupt.signal.aborted) {
      print(io.stderr, 'hub: interrupted; run the same command again to go on.\n')
      return io.exit(exitCode.interrupted)
    }
    print(io.stderr, explain(error))
    io.exit(error instanceof UsageError ? exitCode.usage : exitCodeOf(error))
  } finally {
    off()
  }
}
