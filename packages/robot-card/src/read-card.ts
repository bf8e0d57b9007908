/**
 * Parses any JSON value as a card: schema faults become failing `card.schema` checks, and the valid members can still
 * be checked. Pure.
 */
import { withDoubles } from '@hub/formats/exact-json'
import { freeFormFaults } from '@hub/formats/free-form-faults'
import { type Check, check } from '@hub/mjcf/verdict/check'
import { type RobotCardDocument, robotCardPut } from './card-schema.ts'
import { type ReadableCard, readableOf } from './readable-card.ts'
import { asCheck, placedFaults } from './schema-faults.ts'

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
