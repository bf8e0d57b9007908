import type { Embodiment, EmbodimentJoint } from './embodiment.ts'
import { isObject, namesIn, numberOf, numbersByName, objectOf, positiveOf, textOf } from './json.ts'

type Kind = EmbodimentJoint['kind']

/**
 * The robot of a card: its interface and its limits, as `/v1` writes both. `kinds`: of joints, where a reader of the
 * model knows them; the card has none. Null where the card has no interface, or no order of joints.
 */
export function fromCard(
  face: unknown,
  limits: unknown,
  kinds: Readonly<Record<string, Kind>> = {},
): Embodiment | null {
  if (!isObject(face)) return null
  const order = namesIn(face.joint_order)
  if (order === null) return null
  const byJoint = objectOf(limits)
  return {
    joints: order.map((name) => jointOf(name, objectOf(own(byJoint, name)), own(kinds, name) ?? null)),
    rateHz: positiveOf(face.control_rate_hz),
    base: baseOf(face.base),
    action: actionOf(face.action),
    cameras: camerasOf(face.cameras),
    pose: numbersByName(face.default_pose),
  }
}

const own = <T>(from: Readonly<Record<string, T>>, name: string) => (Object.hasOwn(from, name) ? from[name] : undefined)

const jointOf = (name: string, limit: Readonly<Record<string, unknown>>, kind: Kind): EmbodimentJoint => ({
  name,
  kind,
  // A card is in SI units by its definition.
  unit: kind === 'hinge' ? 'rad' : kind === 'slide' ? 'm' : 'si',
  lower: numberOf(limit.lower),
  upper: numberOf(limit.upper),
  velocity: positiveOf(limit.velocity),
  effort: positiveOf(limit.effort),
})

/** Other words than these two say nothing that can be compared. */
export const baseOf = (value: unknown) => (value === 'fixed' || value === 'floating' ? value : null)

/** An action without semantics says nothing. */
export function actionOf(value: unknown): Embodiment['action'] {
  const action = objectOf(value)
  const semantics = textOf(action.semantics)
  if (semantics === null) return null
  return {
    semantics,
    scale: numberOf(action.scale),
    scalePerJoint: numbersByName(action.scale_per_joint),
    clip: positiveOf(action.clip),
  }
}

/** Cameras of an interface, and of a contract that names those it wants in the same form. */
export function camerasOf(value: unknown): Embodiment['cameras'] {
  if (!Array.isArray(value)) return []
  return value.flatMap((one: unknown) => {
    const camera = objectOf(one)
    const name = textOf(camera.name)
    if (name === null) return []
    const [width, height] = [positiveOf(camera.width), positiveOf(camera.height)]
    return [{ name, width, height, slot: textOf(camera.vla_slot) }]
  })
}
