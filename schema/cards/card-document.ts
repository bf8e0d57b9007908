/** Converts a typed card to its document, and fault places of the document back to the input. */

import { isJsonObject } from '@hub/formats/exact-json'
import { HubError, invalid, type Loc } from '../../src/platform/errors.ts'
import { toSnake } from '../../src/platform/member-name.ts'

/** Free-form members: the names below them belong to the robot, not to the schema. */
const free: ReadonlySet<string> = new Set(['limits', 'default_pose', 'scale_per_joint', 'ranges', 'data', 'loc'])

const toCamel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The card in `/v1` names; the `vendor` members of an actuator are merged into it. */
function documentOf(value: unknown, loc: Loc): unknown {
  if (Array.isArray(value)) return value.map((item, index) => documentOf(item, [...loc, index]))
  if (!isJsonObject(value)) return value
  const { vendor, ...members } = value
  const own = Object.entries(members).map(([name, member]): [string, unknown] => {
    const snake = toSnake(name)
    return [snake, free.has(snake) ? member : documentOf(member, [...loc, name])]
  })
  // Its own members last: a vendor field cannot override them.
  return Object.fromEntries([...Object.entries(vendorMembers(vendor, loc)), ...own])
}

function vendorMembers(value: unknown, loc: Loc): Record<string, unknown> {
  if (value === null || value === undefined) return {}
  if (isJsonObject(value)) return value
  throw invalid('validation.type', 'vendor must be an object', [...loc, 'vendor'])
}

/**
 * `["interface", "joint_order", 0]` -> `["card", "interface", "jointOrder", 0]`; names below a free-form member stay
 * unchanged.
 */
function placeInCard(card: unknown, loc: Loc): Loc {
  const [list, at, name] = loc
  if (list === 'actuators' && isVendorMember(card, at, name)) return ['card', list, at ?? 0, 'vendor', ...loc.slice(2)]
  const end = loc.findIndex((step) => free.has(String(step)))
  const own = end === -1 ? loc : loc.slice(0, end + 1)
  const named = own.map((step) => (typeof step === 'string' ? toCamel(step) : step))
  return ['card', ...named, ...loc.slice(own.length)]
}

/** Whether a member of an actuator of the document comes from `vendor`. */
function isVendorMember(card: unknown, at: unknown, name: unknown): boolean {
  const actuators = isJsonObject(card) ? card.actuators : null
  const actuator: unknown = Array.isArray(actuators) ? actuators[Number(at)] : null
  if (!isJsonObject(actuator) || !isJsonObject(actuator.vendor)) return false
  return Object.hasOwn(actuator.vendor, String(name)) && !Object.hasOwn(actuator, toCamel(String(name)))
}

export interface CardArgument {
  readonly document: unknown
  readonly placeOf?: (loc: Loc) => Loc
}

/** The card of an input, from either of its two forms; null if neither is given, 422 if both are. */
export function cardArgument(input: { card?: unknown; document?: unknown }): CardArgument | null {
  const { card = null, document = null } = input
  if (card !== null && document !== null) {
    const detail = 'Give the card either as card or as document, not both.'
    const items = [{ type: 'validation.duplicate', detail, loc: ['document'] }]
    throw new HubError('validation.failed', detail, { items })
  }
  if (card !== null) return { document: documentOf(card, ['card']), placeOf: (loc) => placeInCard(card, loc) }
  return document === null ? null : { document }
}
