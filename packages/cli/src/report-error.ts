/**
 * An error of a command on standard error: as text, or with `--json` as one object that has the members of a Problem.
 */

import { LocalError, ProblemError, SecretsFound, TransferError } from '@hub/client/internal'
import { CommanderError } from 'commander'
import { type ClientIo, explain } from './client-output.ts'
import { NotLoggedIn, UsageError } from './command-errors.ts'
import { print, printJson } from './terminal.ts'

/** The members of a Problem that make sense for every error; `status` and `request_id` are null for an error of this machine. */
interface ErrorReport {
  readonly type: string
  readonly title: string
  readonly status: number | null
  readonly detail: string
  readonly errors: readonly object[]
  readonly request_id: string | null
}

const localTitles = {
  'local.usage': 'Wrong usage',
  'local.not_logged_in': 'Not logged in',
  'local.transfer': 'No usable response',
  'local.interrupted': 'Interrupted',
  'local.secrets': 'Secrets in files to send',
  'local.failed': 'Failed on this machine',
} as const

type LocalType = keyof typeof localTitles

/** Prints the error. With HUB_DEBUG set, text is followed by the stack. */
export function reportError(
  io: Pick<ClientIo, 'stderr'> & Partial<Pick<ClientIo, 'env'>>,
  error: unknown,
  json: boolean,
): void {
  if (json) {
    printJson(io.stderr, { error: reportOf(error) })
    return
  }
  print(io.stderr, explain(error))
  if (io.env?.HUB_DEBUG && error instanceof Error) print(io.stderr, `${error.stack}\n`)
}

/** The error that an interrupt leaves. */
export const interrupted = (detail: string) =>
  Object.assign(new Error(detail), { localType: 'local.interrupted' as const })

function reportOf(error: unknown): ErrorReport {
  const problem = error instanceof NotLoggedIn && error.cause instanceof ProblemError ? error.cause : error
  if (problem instanceof ProblemError) {
    const { kind: type, title, status, requestId, entries } = problem
    const detail = error instanceof Error ? error.message : problem.message
    return { type, title, status, detail, errors: entries, request_id: requestId }
  }
  const type = localTypeOf(error)
  const errors = error instanceof LocalError ? error.faults.map((detail) => ({ type, detail, loc: [] })) : []
  const detail = error instanceof Error ? error.message : String(error)
  return { type, title: localTitles[type], status: null, detail, errors, request_id: null }
}

function localTypeOf(error: unknown): LocalType {
  if (error instanceof UsageError || error instanceof CommanderError) return 'local.usage'
  if (error instanceof NotLoggedIn) return 'local.not_logged_in'
  if (error instanceof TransferError) return 'local.transfer'
  if (error instanceof SecretsFound) return 'local.secrets'
  const named = error instanceof Error && 'localType' in error ? (error.localType as LocalType) : undefined
  return named ?? 'local.failed'
}
