/** The points of a flexcomp that are fixed to its parent body. */
import { numbersIn } from '../rules/fields.ts'
import { type Flexcomp, wholeNumbers } from './flexcomp-values.ts'

type Pins = Set<number> | string

/**
 * The pinned points; the predicate of an error sentence if a pin is rejected; null if the result depends on cells.
 * `look` counts points before they are examined.
 */
export function pinsOf(flexcomp: Flexcomp, points: number, look: (count: number) => void): Pins | null {
  const { element, dof, dim, type } = flexcomp
  const interpolated = dof === 'trilinear' || dof === 'quadratic'
  // Cells without elements are pinned; which ones these are depends on the geometry alone.
  if (interpolated && element.attributes.has('cellcount')) return null
  const given = (name: string) =>
    element.children.flatMap((pin) => (pin.name === 'pin' ? wholeNumbers(pin.attributes.get(name)) : []))
  const [range, grid, gridRange] = [given('range'), given('grid'), given('gridrange')]
  if (range.length % 2 > 0) return 'has a pin range without an end'
  if (grid.length % dim > 0) return `has a pin grid without ${dim} numbers`
  if (gridRange.length % (2 * dim) > 0) return `has a pin gridrange without ${2 * dim} numbers`
  const onGrid = grid.length + gridRange.length > 0
  if (onGrid && type !== 'grid' && !interpolated) return 'pins grid points and is not a grid'
  if (onGrid && dim === 1) return 'pins grid points and has the dim 1'
  if (flexcomp.rigid) return new Set()
  return collect(flexcomp, points, { ids: given('id'), range, grid, gridRange }, look)
}

interface Pinned {
  readonly ids: readonly number[]
  readonly range: readonly number[]
  readonly grid: readonly number[]
  readonly gridRange: readonly number[]
}

function collect(
  flexcomp: Flexcomp,
  points: number,
  { ids, range, grid, gridRange }: Pinned,
  look: (count: number) => void,
): Pins {
  const { dof, dim, type, count } = flexcomp
  const pins = new Set(ids)
  if ([...ids, ...range].some((id) => !(id >= 0 && id < points))) return 'pins a point that it does not have'
  for (let i = 0; i < range.length; i += 2) {
    const [from = 0, to = -1] = range.slice(i, i + 2)
    look(Math.max(0, to - from + 1))
    for (let k = from; k <= to; k += 1) pins.add(k)
  }
  const interpolated = dof === 'trilinear' || dof === 'quadratic'
  const sides = type !== 'grid' && interpolated ? Array<number>(3).fill(dof === 'trilinear' ? 2 : 3) : count
  if (grid.some((n, i) => !(n >= 0 && n < (sides[i % dim] ?? 0)))) return 'pins a grid point that it does not have'
  if (gridRange.some((n, i) => !(n >= 0 && n < (count[i % dim] ?? 0)))) return 'pins a grid point that it does not have'
  for (let i = 0; i < grid.length; i += dim) pins.add(idOf(grid.slice(i, i + dim), count))
  for (let i = 0; i < gridRange.length; i += 2 * dim) {
    const from = gridRange.slice(i, i + dim)
    const to = gridRange.slice(i + dim, i + 2 * dim)
    look(from.reduce((product, start, axis) => product * Math.max(0, (to[axis] ?? -1) - start + 1), 1))
    pinBox(pins, from, to, count)
  }
  if (dof === 'radial') pins.add(0)
  return pins
}

/**
 * The points whose radius is zero: the center of a grid with odd sides, and points written at the origin. None if the
 * whole flexcomp is moved.
 */
export function stillPoints({ element, type, dim, count }: Flexcomp): ReadonlySet<number> {
  const still = new Set<number>()
  if (numbersIn(element.attributes.get('pos')).some((n) => n !== 0)) return still
  const written = numbersIn(element.attributes.get('point'))
  for (let id = 0; 3 * id + 2 < written.length; id += 1) {
    if (written.slice(3 * id, 3 * id + 3).every((n) => n === 0)) still.add(id)
  }
  const middle = count.slice(0, dim).map((n) => (n - 1) / 2)
  const first = Math.floor(written.length / 3)
  if (type === 'grid' && middle.every(Number.isInteger))
    still.add(first + (dim === 1 ? (middle[0] ?? 0) : idOf(middle, count)))
  return still
}

function idOf([x = 0, y = 0, z]: readonly number[], [, sideY, sideZ]: Flexcomp['count']): number {
  return z === undefined ? x * sideY + y : (x * sideY + y) * sideZ + z
}

/** All grid points from one corner to the other, in two or three dimensions. */
function pinBox(pins: Set<number>, from: readonly number[], to: readonly number[], count: Flexcomp['count']): void {
  const [startX = 0, startY = 0, startZ] = from
  const [endX = -1, endY = -1, endZ = -1] = to
  for (let x = startX; x <= endX; x += 1) {
    for (let y = startY; y <= endY; y += 1) {
      if (startZ === undefined) pins.add(idOf([x, y], count))
      else for (let z = startZ; z <= endZ; z += 1) pins.add(idOf([x, y, z], count))
    }
  }
}
