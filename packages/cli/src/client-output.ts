/** Human-readable output of the client commands: errors and exit codes. */
import { failureLine, LocalError, ProblemError, SecretsFound } from '@hub/client/internal'

export { countText, sizeText } from '@hub/text/amounts'

import { NotLoggedIn, UsageError } from './command-errors.ts'
import { inLine } from './terminal.ts'

/** The process as a client command sees it. */
export interface ClientIo {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Base of relative paths. */
  readonly cwd: string
  readonly stdout: {
    write(text: string): unknown
    readonly isTTY?: boolean
    readonly columns?: number
    readonly rows?: number
  }
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean }
  exit(code: number): void
  /** Prints a question and reads a line; absent without a terminal to ask on. */
  readonly ask?: (question: string) => Promise<string>
  /** Calls `stop` on the first SIGINT or SIGTERM; returns a function that removes the listener. */
  onInterrupt(stop: () => void): () => void
}

export const exitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  refused: 5,
  blocked: 6,
  notLoggedIn: 7,
  interrupted: 130,
} as const

export const exitCodesHelp = `
Exit codes:
  0    done
  1    failed (network, this machine, or a file whose bytes differ)
  2    wrong usage
  3    not allowed
  4    not found, or not visible
  5    rejected (conflict, validation, quota, a secret in a file to send)
  7    not logged in: no credential, or one that the hub refuses
  130  interrupted; run the same command again to resume`

/** The exit code of an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof NotLoggedIn) return exitCode.notLoggedIn
  if (error instanceof UsageError) return exitCode.usage
  if (error instanceof SecretsFound) return exitCode.refused
  if (!(error instanceof ProblemError)) return exitCode.failed
  if (error.status === 401) return exitCode.notLoggedIn
  if (error.status === 403) return exitCode.notAllowed
  if (error.status === 404) return exitCode.notFound
  // Some are 429, as rates are; but a cap is no failure that the next try may not have.
  if (error.kind.startsWith('quota.')) return exitCode.refused
  return [400, 409, 412, 413, 422].includes(error.status) ? exitCode.refused : exitCode.failed
}

/** An error as text: the message, then one line per entry with its location. */
export function explain(error: unknown): string {
  const lines = [`hub: ${indented(failureLine(error))}`]
  if (error instanceof ProblemError) {
    for (const entry of error.entries) {
      const place = entry.loc.length > 0 ? `${entry.loc.join('.')}: ` : ''
      // One fault is the message itself.
      const isSaid = (place === '' || error.entries.length === 1) && error.message.includes(entry.detail)
      if (!isSaid) lines.push(inLine(`  ${place}${entry.detail} (${entry.type})`))
    }
  }
  if (error instanceof LocalError) lines.push(...error.faults.map((fault) => inLine(`  ${fault}`)))
  if (error instanceof SecretsFound) lines.push(...secretsHelp)
  return `${lines.join('\n')}\n`
}

const secretsHelp = [
  'Remove them, and replace each one that someone may have seen. To leave a file out, name it in .hubignore or with',
  '--exclude; to send it all the same, name it with --allow-secrets.',
]

/** Indents continuation lines. */
const indented = (text: string) => text.replaceAll('\n', '\n  ')
