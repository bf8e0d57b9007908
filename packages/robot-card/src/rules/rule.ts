/** The input of card rules, and the conversion of findings to a check. Pure. */
import { nearestName } from '@hub/mjcf/nearest-name'
import type { ModelReading } from '@hub/mjcf/reading'
import { type Check, type CheckFault, check, faultyCheck } from '@hub/mjcf/verdict/check'
import { doubtOf, isFaulty, NO_MODEL, namedJoints } from '@hub/mjcf/verdict/model-checks'
import type { EmbodimentInterface } from '../interface-schema.ts'
import type { ReadableCard } from '../readable-card.ts'

/** The reading of the model, or why there is none. */
export interface KnownModel {
  readonly reading: ModelReading | null
  /** Why there is no reading to compare the card with. */
  readonly reason: string
  /** Set if part of the model was not read: names that are not found may still exist. */
  readonly doubt: string | null
  /** Name of the model in messages. */
  readonly label: string
}

/** A fault; its hint may be the nearest of the valid names. */
export interface RuleFault extends CheckFault {
  readonly candidates?: Iterable<string>
}

/** Findings of a rule: `skip` is the reason for an incomplete result. Certain faults are still reported. */
export interface Findings {
  readonly fail?: readonly RuleFault[]
  readonly warn?: readonly RuleFault[]
  readonly skip?: string | null
  /** The message of a passing check. */
  readonly pass: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** Converts findings to a check. */
export function conclude(code: string, { fail = [], warn = [], skip = null, pass, data }: Findings): Check {
  if (fail.length > 0) return faultyCheck(code, 'fail', hinted(fail), data)
  if (warn.length > 0)
    return faultyCheck(code, 'warn', hinted(warn), { ...data, ...(skip === null ? {} : { skipped: skip }) })
  if (skip !== null) return check(code, 'skip', skip)
  return check(code, 'pass', pass, { data: data ?? null })
}

/**
 * The most faults of a check that get a suggested name: a search takes up to a millisecond, and a card may contain
 * thousands of unknown joints.
 */
const MAX_SEARCHES = 5

function hinted(faults: readonly RuleFault[]): CheckFault[] {
  return faults.map(({ candidates, ...fault }, index) => {
    const near = candidates && index < MAX_SEARCHES ? nearestName(fault.names[0] ?? '', candidates) : null
    return near === null ? fault : { ...fault, hint: `Did you mean ${near}?` }
  })
}

type Member = keyof EmbodimentInterface

/** Runs an interface rule if the members it reads are present and valid; else skips the check with the reason. */
export function interfaceCheck<const Members extends readonly Member[]>(
  code: string,
  card: ReadableCard,
  members: Members,
  rule: (face: Pick<EmbodimentInterface, Members[number]>) => Findings,
): Check {
  const face = card.interface
  if (face === null) return check(code, 'skip', 'The card has no interface.')
  if (face === undefined) return check(code, 'skip', unsoundReason('interface'))
  const unsound = members.find((name) => card.unsound.has(`interface.${name}`))
  if (unsound) return check(code, 'skip', unsoundReason(`interface.${unsound}`))
  return conclude(code, rule(face as Pick<EmbodimentInterface, Members[number]>))
}

/** Why a check is skipped: the schema rejected the member. */
export const unsoundReason = (member: string) => `${member} does not match the schema.`

/**
 * The model as rules see it. A model with faults is used as read, so that fixing them reveals no new card faults; if it
 * was read only in part, only existing names are certain.
 */
export function knownModel(card: ReadableCard, reading: ModelReading | null): KnownModel {
  const entry = card.mjcf_path ?? null
  const none = { reading: null, doubt: null, label: entry ?? '' }
  if (entry === null) return { ...none, reason: card.unsound.has('mjcf_path') ? unsoundReason('mjcf_path') : NO_MODEL }
  if (!reading || reading.format === null) return { ...none, reason: `${entry} cannot be read.` }
  return { reading, reason: '', doubt: doubtOf(reading), label: isFaulty(reading) ? `${entry} as it stands` : entry }
}

/** Why the reader could not decide about a part, or null. */
export function undecidedReason(
  reading: ModelReading,
  about: ModelReading['undecided'][number]['about'],
): string | null {
  return reading.undecided.find((open) => open.about === about)?.reason ?? null
}

/** A fault for an unknown name. `candidates` are valid names; `otherwise` is the hint if none is similar. */
export function unknownName({
  name,
  message,
  loc,
  candidates,
  otherwise = null,
}: {
  readonly name: string
  readonly message: string
  readonly loc: readonly (string | number)[]
  readonly candidates: Iterable<string>
  readonly otherwise?: string | null
}): RuleFault {
  return { message, names: [name], hint: otherwise, loc, candidates }
}

/** Duplicate names in a list, each with its second index. */
export function repeated(names: readonly string[]): { readonly name: string; readonly index: number }[] {
  const seen = new Set<string>()
  const told = new Set<string>()
  return names.flatMap((name, index) => {
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    if (told.has(name)) return []
    told.add(name)
    return [{ name, index }]
  })
}

/** The joints that a policy can index; null if unknown. */
export function drivableJoints(model: KnownModel): ReadonlySet<string> | null {
  return model.reading && new Set(namedJoints(model.reading))
}
