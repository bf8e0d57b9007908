/** Between a typed card and the document that it is: one walk there, and one for the places that a refusal names back. */
import { HubError, invalid, type Loc } from '../../src/platform/errors.ts'
import { isJsonObject } from '../../src/platform/exact-json.ts'
import { toSnake } from '../../src/platform/member-name.ts'

/** Members whose value is free: the names below them belong to the robot, not to the schema. */
const free: ReadonlySet<string> = new Set(['limits', 'default_pose', 'scale_per_joint', 'ranges', 'data', 'loc'])

const toCamel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The card in the names of `/v1`; an actuator's `vendor` members stand beside its own. */
function documentOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(documentOf)
  if (!isJsonObject(value)) return value
  const { vendor, ...members } = value
  const own = Object.entries(members).map(([name, member]): [string, unknown] => {
    const snake = toSnake(name)
    return [snake, free.has(snake) ? member : documentOf(member)]
  })
  // Its own members last: a vendor field cannot take their place.
  return Object.fromEntries([...Object.entries(vendorMembers(vendor)), ...own])
}

function vendorMembers(value: unknown): Record<string, unknown> {
  if (value === null || value === undefined) return {}
  if (isJsonObject(value)) return value
  throw invalid('validation.type', 'vendor must be an object', ['card', 'actuators'])
}

/** `["interface", "joint_order", 0]` -> `["input", "card", "interface", "jointOrder", 0]`; below a free member names stay. */
function placeInCard(loc: Loc): Loc {
  const end = loc.findIndex((step) => free.has(String(step)))
  const own = end === -1 ? loc : loc.slice(0, end + 1)
  const named = own.map((step) => (typeof step === 'string' ? toCamel(step) : step))
  return ['card', ...named, ...loc.slice(own.length)]
}

export interface CardArgument {
  readonly document: unknown
  readonly placeOf?: (loc: Loc) => Loc
}

/** What an input says of a card in one of its two spellings; null where in neither. 422 where in both. */
export function cardArgument(input: { card?: unknown; document?: unknown }): CardArgument | null {
  const { card = null, document = null } = input
  if (card !== null && document !== null) {
    const detail = 'Give the card once: as card, or as document.'
    const items = [{ type: 'validation.duplicate', detail, loc: ['document'] }]
    throw new HubError('validation.failed', detail, { items })
  }
  if (card !== null) return { document: documentOf(card), placeOf: placeInCard }
  return document === null ? null : { document }
}
