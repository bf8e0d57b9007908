/** Maps from recorded joints to those of a robot. */

/** `target = sign * scale * source + offset`, for each joint. */
export interface JointMap {
  readonly version: 1
  readonly joints: readonly JointPair[]
  /** Joints of the target that keep a value. */
  readonly held: readonly { readonly joint: string; readonly value: number }[]
  /** Joints of the source that go nowhere. */
  readonly dropped: readonly string[]
}

export interface JointPair {
  readonly from: string
  readonly to: string
  readonly sign: 1 | -1
  readonly scale: number
  readonly offset: number
}

/** From values in the order `from` to values in the order `to`; what neither is mapped nor held is NaN. */
export function applyJointMap(
  map: JointMap,
  from: readonly string[],
  to: readonly string[],
): (values: ArrayLike<number>) => Float64Array {
  const held = new Map(map.held.map(({ joint, value }) => [joint, value]))
  const parts = to.map((name) => {
    const pair = map.joints.find((one) => one.to === name)
    return pair ? { pair, at: from.indexOf(pair.from) } : (held.get(name) ?? Number.NaN)
  })
  return (values) =>
    Float64Array.from(parts, (part) => {
      if (typeof part === 'number') return part
      const { sign, scale, offset } = part.pair
      return sign * scale * (values[part.at] ?? Number.NaN) + offset
    })
}
