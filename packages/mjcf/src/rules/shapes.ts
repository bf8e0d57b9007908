import type { Layered } from './fields.ts'
import { articled, given, isZero, textOf, vectorOf } from './fields.ts'

/** How many numbers of `size` must be positive, by geom type; mesh, sdf and hfield take their sizes from an asset. */
const SIZES: ReadonlyMap<string, number> = new Map(
  Object.entries({ sphere: 1, capsule: 2, ellipsoid: 3, cylinder: 2, box: 3 }),
)
const FROMTO_TYPES = ['capsule', 'cylinder', 'ellipsoid', 'box']

export interface Shape {
  readonly type: string
  /** With `fromto` applied. */
  readonly size: readonly number[]
  readonly fromto: boolean
}

/** The type and sizes of a geom or site. */
export function shapeOf(object: Layered, initialSize: readonly number[]): Shape {
  const type = textOf(object, 'type', 'sphere')
  const size = vectorOf(object, 'size', initialSize)
  const ends = endsOf(object)
  if (ends === null) return { type, size, fromto: false }
  const half = Math.hypot(...between(ends)) / 2
  const [first = 0] = size
  return {
    type,
    fromto: true,
    size: type === 'ellipsoid' || type === 'box' ? [first, first, half] : [first, half, size[2] as number],
  }
}

/** Why a `fromto` is invalid; null if it is valid or absent. */
export function fromtoFault(object: Layered): string | null {
  const ends = endsOf(object)
  if (ends === null) return null
  const type = textOf(object, 'type', 'sphere')
  if (!FROMTO_TYPES.includes(type))
    return `has a fromto, which ${articled(type)} cannot have; ${FROMTO_TYPES.join(', ')} can`
  if (vectorOf(object, 'pos', [0, 0, 0]).some((value) => value !== 0)) return 'has both a pos and a fromto'
  return isZero(between(ends)) ? 'has a fromto whose two points are the same' : null
}

/** Why a size is invalid; null if it is valid. */
export function sizeFault({ type, size, fromto }: Shape): string | null {
  if (type === 'plane')
    return (size[2] as number) <= 0 ? 'is a plane whose third size (the grid spacing) is not positive' : null
  const place = size.slice(0, SIZES.get(type) ?? 0).findIndex((value) => value <= 0)
  if (place < 0) return null
  const needed = fromto
    ? 'a positive radius beside its fromto'
    : `${SIZES.get(type)} positive size${SIZES.get(type) === 1 ? '' : 's'}`
  return `is ${articled(type)}, which needs ${needed}`
}

function endsOf(object: Layered): number[] | null {
  return given(object, 'fromto') ? vectorOf(object, 'fromto', [0, 0, 0, 0, 0, 0]) : null
}

function between(ends: readonly number[]): number[] {
  return [0, 1, 2].map((i) => (ends[i] as number) - (ends[i + 3] as number))
}
