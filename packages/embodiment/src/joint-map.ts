/** A map of joints: how numbers of one body become numbers of another. Pure. */

/** `to` gets `sign * scale * from + offset`. */
export interface MappedJoint {
  readonly from: string
  readonly to: string
  readonly sign: 1 | -1
  /** Above zero: the sign has a member of its own. `pi / 180` makes radians of degrees. */
  readonly scale: number
  readonly offset: number
}

export interface JointMap {
  readonly version: 1
  readonly joints: readonly MappedJoint[]
  /** Joints of the target that the source does not move: each keeps its value. */
  readonly held: readonly { readonly joint: string; readonly value: number }[]
  /** Joints of the source that go nowhere. */
  readonly dropped: readonly string[]
}

/** A map does not cover the joints that it is used for. */
export class JointMapError extends Error {
  override name = 'JointMapError'
}

/** What a map does to the number of one joint. */
type Turn = Pick<MappedJoint, 'sign' | 'scale' | 'offset'>

/** A number of the source as the target's. */
export const through = ({ sign, scale, offset }: Turn, value: number): number => sign * scale * value + offset

/** A number of the target as the source's. */
export const back = ({ sign, scale, offset }: Turn, value: number): number => ((value - offset) * sign) / scale

/** Each joint to the one of its name. */
export const identityMap = (names: readonly string[]): JointMap => ({
  version: 1,
  joints: names.map((name) => ({ from: name, to: name, sign: 1, scale: 1, offset: 0 })),
  held: [],
  dropped: [],
})

/**
 * A function that turns numbers in the order of `from` into numbers in the order of `to`. Throws where a joint of
 * either side has no place in the map, once, before any number is turned. `changes` are velocities and differences of
 * positions: an offset is not part of them, and a held joint does not move.
 */
export function applyJointMap(
  map: JointMap,
  from: readonly string[],
  to: readonly string[],
  what: 'positions' | 'changes' = 'positions',
): (values: ArrayLike<number>) => Float64Array {
  const placeOf = new Map(from.map((name, place) => [name, place]))
  const joints = new Map(map.joints.map((joint) => [joint.to, joint]))
  const held = new Map(map.held.map(({ joint, value }) => [joint, value]))
  const gone = new Set([...map.joints.map((joint) => joint.from), ...map.dropped])
  const moves = what === 'changes'
  const lost = from.filter((name) => !gone.has(name))
  if (lost.length > 0) throw new JointMapError(`The map neither uses nor drops ${lost.join(', ')}.`)
  const steps = to.map((name) => {
    const joint = joints.get(name)
    if (!joint) {
      const value = held.get(name)
      if (value === undefined) throw new JointMapError(`The map gives no value to ${name}.`)
      return { place: -1, factor: 0, offset: moves ? 0 : value }
    }
    const place = placeOf.get(joint.from)
    if (place === undefined) throw new JointMapError(`The map reads ${joint.from}, which is not among the joints.`)
    return { place, factor: joint.sign * joint.scale, offset: moves ? 0 : joint.offset }
  })
  return (values) => {
    if (values.length !== from.length)
      throw new JointMapError(`There are ${values.length} numbers for ${from.length} joints.`)
    const out = new Float64Array(steps.length)
    steps.forEach(({ place, factor, offset }, at) => {
      out[at] = place === -1 ? offset : factor * (values[place] as number) + offset
    })
    return out
  }
}

/**
 * The map in the other direction. A dropped joint becomes a held one, whose value the map does not have: `values` has
 * it by name. Throws where one is missing.
 */
export function invert(map: JointMap, values: Readonly<Record<string, number>> = {}): JointMap {
  return {
    version: 1,
    joints: map.joints.map(({ from, to, sign, scale, offset }) => ({
      ...{ from: to, to: from, sign },
      scale: 1 / scale,
      // Adding zero makes -0 a 0, whose fingerprint is the same and whose text is plain.
      offset: (-sign * offset) / scale + 0,
    })),
    held: map.dropped.map((joint) => {
      const value = Object.hasOwn(values, joint) ? values[joint] : undefined
      if (value === undefined)
        throw new JointMapError(`The map drops ${joint}: the other direction needs a value for it.`)
      return { joint, value }
    }),
    dropped: map.held.map(({ joint }) => joint),
  }
}
