/** What a rule of a card works on, and how its findings become a check. Pure. */
import { nearestName } from '../../models/mjcf/nearest-name.ts'
import type { ModelReading } from '../../models/mjcf/reading.ts'
import { type Check, type CheckFault, check, faultyCheck } from '../check.ts'
import type { EmbodimentInterface } from '../interface-schema.ts'
import { doubtOf, isFaulty, NO_MODEL, namedJoints } from '../model-checks.ts'
import type { ReadableCard } from '../read-card.ts'

/** What the model declares, or why that is not known. */
export interface KnownModel {
  readonly reading: ModelReading | null
  /** Why there is no reading to hold the card against. */
  readonly reason: string
  /** Why a name that is not found may be in the model all the same: part of it is not read. What is found is there. */
  readonly doubt: string | null
  /** What messages call it. */
  readonly label: string
}

/** A fault whose hint may be the nearest of the names that would have done. */
export interface RuleFault extends CheckFault {
  readonly candidates?: Iterable<string>
}

/** A rule's findings: `skip` says what kept it from a whole verdict. What is certain is told all the same. */
export interface Findings {
  readonly fail?: readonly RuleFault[]
  readonly warn?: readonly RuleFault[]
  readonly skip?: string | null
  /** The sentence where nothing is wrong. */
  readonly pass: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** The check that findings amount to. */
export function conclude(code: string, { fail = [], warn = [], skip = null, pass, data }: Findings): Check {
  if (fail.length > 0) return faultyCheck(code, 'fail', hinted(fail), data)
  if (warn.length > 0)
    return faultyCheck(code, 'warn', hinted(warn), { ...data, ...(skip === null ? {} : { skipped: skip }) })
  if (skip !== null) return check(code, 'skip', skip)
  return check(code, 'pass', pass, { data: data ?? null })
}

/** A search costs up to a millisecond, and a card may name thousands of joints that are not there. */
const MAX_SEARCHES = 5

function hinted(faults: readonly RuleFault[]): CheckFault[] {
  return faults.map(({ candidates, ...fault }, index) => {
    const near = candidates && index < MAX_SEARCHES ? nearestName(fault.names[0] ?? '', candidates) : null
    return near === null ? fault : { ...fault, hint: `Did you mean ${near}?` }
  })
}

type Member = keyof EmbodimentInterface

/** Runs a rule of the interface where the members that it reads are there and sound; else the check is skipped with the reason. */
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

/** Why a check cannot run on a member that the schema refuses. */
export const unsoundReason = (member: string) => `${member} does not match the schema.`

/**
 * The model as the rules may rely on it. One with faults of its own is taken as it stands, so that mending them shows nothing new; of one that was not read
 * whole only what is found is certain.
 */
export function knownModel(card: ReadableCard, reading: ModelReading | null): KnownModel {
  const entry = card.mjcf_path ?? null
  const none = { reading: null, doubt: null, label: entry ?? '' }
  if (entry === null) return { ...none, reason: card.unsound.has('mjcf_path') ? unsoundReason('mjcf_path') : NO_MODEL }
  if (!reading || reading.format === null) return { ...none, reason: `${entry} cannot be read.` }
  return { reading, reason: '', doubt: doubtOf(reading), label: isFaulty(reading) ? `${entry} as it stands` : entry }
}

/** The reason of what the reader could not decide of a part, or null. */
export function undecidedReason(
  reading: ModelReading,
  about: ModelReading['undecided'][number]['about'],
): string | null {
  return reading.undecided.find((open) => open.about === about)?.reason ?? null
}

/** A fault of a name that nothing bears. `candidates` are what would do; `otherwise` is the hint where none of them is near. */
export function unknownName(
  name: string,
  message: string,
  loc: readonly (string | number)[],
  candidates: Iterable<string>,
  otherwise: string | null = null,
): RuleFault {
  return { message, names: [name], hint: otherwise, loc, candidates }
}

/** Names that stand in a list more than once, each with its second place. */
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

/** The joints that a policy may index by; null where the model does not say. */
export function drivableJoints(model: KnownModel): ReadonlySet<string> | null {
  return model.reading && new Set(namedJoints(model.reading))
}
