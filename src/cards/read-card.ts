/** Parses any JSON value as a card: schema faults become failing `card.schema` checks, and the valid members can still be checked. Pure. */
import type { z } from 'zod'
import { isJsonObject, withDoubles } from '../platform/exact-json.ts'
import { freeFormFaults, type PlacedFault } from '../platform/free-form-faults.ts'
import { type RobotCardDocument, robotCardPut } from './card-schema.ts'
import { type Check, check } from './check.ts'
import type { EmbodimentInterface } from './interface-schema.ts'

/** The members of a card that match the schema. */
export type ReadableCard = Partial<Omit<RobotCardDocument, 'interface'>> & {
  /** Null: a card without one; absent: it does not match the schema. */
  readonly interface?: Partial<EmbodimentInterface> | null
  /** Paths of invalid members: `dof`, `interface.feet`, … includes missing required members. */
  readonly unsound: ReadonlySet<string>
}

export interface CardReading {
  /** As submitted, with the original spelling of numbers; null if the schema rejects it. */
  readonly card: RobotCardDocument | null
  readonly readable: ReadableCard
  /** `card.schema`: one passing check, or one failing check per fault. */
  readonly checks: readonly Check[]
}

const MAX_FAULTS = 50

/** Parses a card; never throws for a JSON value. Rules read its numbers as doubles. */
export function readCard(document: unknown): CardReading {
  const unkeepable = freeFormFaults(document)
  // Schema validation is recursive and creates an issue for each rejected member, so size and depth are checked first.
  const isTooMuch = unkeepable.some(({ tooMuch }) => tooMuch)
  const read = isTooMuch ? document : withDoubles(document)
  const parsed = isTooMuch ? null : robotCardPut.safeParse(read)
  const known = new Set(unkeepable.map(({ loc }) => JSON.stringify(loc)))
  const issues = (parsed?.error?.issues ?? []).flatMap((issue) => placedFaults(issue, read))
  const faults = [...unkeepable, ...issues.filter(({ loc }) => !known.has(JSON.stringify(loc)))]
  if (parsed?.success && faults.length === 0) {
    // The schema changes no value, but reorders members.
    const card = read as RobotCardDocument
    const passed = check('card.schema', 'pass', 'The card matches its schema.')
    const readable = { ...card, interface: card.interface ?? null, unsound: new Set<string>() }
    return { card: document as RobotCardDocument, readable, checks: [passed] }
  }
  return { card: null, readable: readableOf(read, faults), checks: faults.slice(0, MAX_FAULTS).map(asCheck) }
}

interface SchemaFault extends PlacedFault {
  readonly hint?: string
  /** An unknown member does not invalidate others. */
  readonly unknown?: boolean
}

function placedFaults(issue: z.core.$ZodIssue, document: unknown): SchemaFault[] {
  const loc = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      message: 'is not a member of this object',
      loc: [...loc, key],
      hint: 'Remove it: only actuators may have extra members.',
      unknown: true,
    }))
  }
  if (issue.code === 'invalid_type' && valueAt(document, loc) === undefined) {
    return [{ message: 'is required', loc, hint: `Add it: its type is ${issue.expected}.` }]
  }
  return [{ message: issue.message.replace(/^Invalid input: /, ''), loc }]
}

function valueAt(root: unknown, loc: readonly (string | number)[]): unknown {
  let value = root
  for (const step of loc) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string | number, unknown>)[step]
  }
  return value
}

function asCheck({ message, loc, hint }: SchemaFault): Check {
  const place = loc.map((step) => String(step).slice(0, 100)).join('.')
  return check('card.schema', 'fail', `${place || 'The card'}: ${message}`, {
    names: place ? [place] : [],
    hint: hint ?? null,
    loc: [...loc],
  })
}

/** Only members without faults; likewise for the members of the interface. */
function readableOf(document: unknown, faults: readonly SchemaFault[]): ReadableCard {
  const spoiling = faults.filter(({ unknown }) => !unknown).map(({ loc }) => loc)
  const unsound = new Set(spoiling.flatMap((loc) => [String(loc[0]), loc.slice(0, 2).join('.')]))
  if (!isJsonObject(document) || spoiling.some((loc) => loc.length === 0)) return { unsound }
  const shape = robotCardPut.shape
  const card = { ...soundMembers(document, Object.keys(shape), spoiling), unsound }
  const inner = document.interface
  if (inner === undefined || inner === null) return { ...card, interface: null }
  const within = spoiling.filter(([head]) => head === 'interface').map((loc) => loc.slice(1))
  if (!isJsonObject(inner) || within.some((loc) => loc.length === 0)) return card
  const names = Object.keys(shape.interface.unwrap().unwrap().shape)
  return { ...card, interface: soundMembers(inner, names, within) }
}

function soundMembers(
  object: Readonly<Record<string, unknown>>,
  names: readonly string[],
  spoiling: readonly (readonly (string | number)[])[],
): Record<string, unknown> {
  const spoiled = new Set(spoiling.map(([head]) => head))
  const sound = names.filter((name) => !spoiled.has(name) && Object.hasOwn(object, name))
  return Object.fromEntries(sound.map((name) => [name, object[name]]))
}
