/** Ranges of joints, compared: pure numbers. */
import type { MappedJoint } from '../joint-map.ts'

export interface Range {
  readonly lower: number
  readonly upper: number
}

/** Limits are written with three or four digits: a thousandth of a radian or of a metre is none. */
export const NEAR = 1e-3

const near = (a: number, b: number) => Math.abs(a - b) <= NEAR

/** Null where either end is not said, or both are the same: a model without a range says 0 and 0. */
export const rangeOf = (side: { readonly lower: number | null; readonly upper: number | null }): Range | null =>
  side.lower !== null && side.upper !== null && side.upper > side.lower
    ? { lower: side.lower, upper: side.upper }
    : null

/** The range after the map. */
export function mappedRange({ lower, upper }: Range, { sign, scale, offset }: MappedJoint): Range {
  const ends = [sign * scale * lower + offset, sign * scale * upper + offset] as const
  return { lower: Math.min(...ends), upper: Math.max(...ends) }
}

export const within = (inner: Range, outer: Range) =>
  inner.lower >= outer.lower - NEAR && inner.upper <= outer.upper + NEAR

export const apart = (a: Range, b: Range) => a.upper <= b.lower || b.upper <= a.lower

export type Change = Pick<MappedJoint, 'sign' | 'scale' | 'offset'>

const DEGREE = Math.PI / 180

/**
 * The one plain change that makes the robot's range of the source's: a turned sign, degrees, or another zero. Null
 * where the ranges are the same already, or no plain change does it. Two ranges are no proof: this is for proposals.
 */
export function plainChange(source: Range, robot: Range): Change | null {
  if (sameRange(source, robot)) return null
  const changes: Change[] = [
    { sign: -1, scale: 1, offset: 0 },
    { sign: 1, scale: DEGREE, offset: 0 },
    { sign: 1, scale: 1 / DEGREE, offset: 0 },
    { sign: -1, scale: DEGREE, offset: 0 },
    { sign: -1, scale: 1 / DEGREE, offset: 0 },
    { sign: 1, scale: 1, offset: robot.lower - source.lower },
  ]
  return changes.find((change) => sameRange(mappedRange(source, { from: '', to: '', ...change }), robot)) ?? null
}

const sameRange = (a: Range, b: Range) => near(a.lower, b.lower) && near(a.upper, b.upper)

/** The change in words. */
export function changeWords({ sign, scale, offset }: Change): string {
  const words = [
    ...(sign === -1 ? ['the sign turned'] : []),
    ...(Math.abs(scale - DEGREE) < 1e-9 ? ['degrees made radians'] : []),
    ...(Math.abs(scale * DEGREE - 1) < 1e-9 ? ['radians made degrees'] : []),
    ...(offset === 0 ? [] : [`zero moved by ${Number(offset.toPrecision(5))}`]),
  ]
  return words.join(' and ')
}
