/**
 * One static check and its result. Spec, "RobotValidationCheck". The members are single words, so both dialects and the
 * command line print them as they are.
 */
import { wellFormed } from '@hub/text/well-formed'

export type CheckStatus = 'pass' | 'warn' | 'fail' | 'skip'

/** A fault that a check found in a card or model: one line each, under `data.faults`. */
export interface CheckFault {
  readonly message: string
  readonly names: readonly string[]
  readonly hint: string | null
  /** Path into the card. */
  readonly loc: readonly (string | number)[] | null
}

export interface Check {
  readonly code: string
  readonly status: CheckStatus
  readonly message: string
  /** Joints, files or fields at fault. */
  readonly names: readonly string[]
  readonly hint: string | null
  /** Path into the card. */
  readonly loc: readonly (string | number)[] | null
  readonly data: Readonly<Record<string, unknown>> | null
}

type CheckDetails = Partial<Omit<Check, 'code' | 'status' | 'message'>>

/** A check with only a message, unless `details` adds more. */
export function check(code: string, status: CheckStatus, message: string, details: CheckDetails = {}): Check {
  return wellFormed({ code, status, message, names: [], hint: null, loc: null, data: null, ...details })
}

/** Limit of faults shown; `names` is complete, since the fix needs every name. */
const MAX_SHOWN = 100

/**
 * A check from faults: the message is the first fault, `data.faults` has the first 100, and `names` has those of all
 * faults, without duplicates.
 */
export function faultyCheck(
  code: string,
  status: 'warn' | 'fail',
  faults: readonly CheckFault[],
  data: Readonly<Record<string, unknown>> = {},
): Check {
  const [first] = faults
  const rest = faults.length - 1
  const shown = faults.slice(0, MAX_SHOWN).map(({ message, names, hint, loc }) => ({ message, names, hint, loc }))
  return wellFormed({
    code,
    status,
    message: `${first?.message ?? 'It is not valid.'}${rest > 0 ? ` And ${rest} more.` : ''}`,
    names: [...new Set(faults.flatMap((fault) => fault.names))],
    hint: faults.find((fault) => fault.hint !== null)?.hint ?? null,
    loc: first?.loc ?? null,
    data: { ...data, ...(rest > 0 ? { faults: shown } : {}) },
  })
}

const order: readonly CheckStatus[] = ['skip', 'pass', 'warn', 'fail']

/** The worst status among the checks that ran; `skip` when none did. */
export function gradeOf(checks: readonly Pick<Check, 'status'>[]): CheckStatus {
  return order[Math.max(0, ...checks.map(({ status }) => order.indexOf(status)))] ?? 'skip'
}
