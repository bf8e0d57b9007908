/** One static check and what it found. Spec, "RobotValidationCheck". The members are single words, so both dialects and the command line print them as they are. */
import { wellFormed } from './well-formed.ts'

export type CheckStatus = 'pass' | 'warn' | 'fail' | 'skip'

/** What of a card or model a check found wrong: one line each, under `data.faults`. */
export interface CheckFault {
  readonly message: string
  readonly names: readonly string[]
  readonly hint: string | null
  /** Into the card's body. */
  readonly loc: readonly (string | number)[] | null
}

export interface Check {
  readonly code: string
  readonly status: CheckStatus
  readonly message: string
  /** Offending joints, files or fields. */
  readonly names: readonly string[]
  readonly hint: string | null
  /** Into the card's body. */
  readonly loc: readonly (string | number)[] | null
  readonly data: Readonly<Record<string, unknown>> | null
}

type CheckDetails = Partial<Omit<Check, 'code' | 'status' | 'message'>>

/** A check with nothing but its sentence, unless `details` says more. */
export function check(code: string, status: CheckStatus, message: string, details: CheckDetails = {}): Check {
  return wellFormed({ code, status, message, names: [], hint: null, loc: null, data: null, ...details })
}

/** Of what the report says in words; the names are all there, since the fix needs every one. */
const MAX_SHOWN = 100

/** A check of what was found: the first fault leads, the first 100 stand in `data.faults`, and `names` are those of all, without repeats. */
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
