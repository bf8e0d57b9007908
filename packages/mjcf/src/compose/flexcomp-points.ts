/** The points of a flexcomp before pinning. */
import { limits } from '../limits.ts'
import { countIn } from '../rules/fields.ts'
import { type Flexcomp, wholeNumbers } from './flexcomp-values.ts'

/**
 * The ids of the points that elements use; the predicate of an error sentence if MuJoCo rejects them; null if they
 * depend on a file.
 */
export function pointsOf(flexcomp: Flexcomp): number[] | string | null {
  const { element, type, dim, count } = flexcomp
  const written = countIn(element.attributes.get('point')) / 3
  const ids = wholeNumbers(element.attributes.get('element'))
  if (type === 'direct') return directPoints(flexcomp, written, ids)
  if (count.some((n) => n > limits.objects)) return upTo(limits.objects + 1)
  const made = madePoints(flexcomp, ids.length === 0)
  if (typeof made !== 'number') return made
  // Written points take precedence over those of the type.
  const points = Math.floor(written) + made
  if (points > limits.objects) return upTo(limits.objects + 1)
  if (written % 1 > 0) return 'has a point without three coordinates'
  if (ids.length % (dim + 1) > 0) return `has an element without ${dim + 1} points`
  // Elements of a two-dimensional grid are numbered as if all its layers existed; written points may fill the gap.
  const [x, y, layers] = count
  if (dim === 2 && FLAT.has(type) && x > 1 && y > 1 && layers * (x * y - 1) >= points) {
    return `is flat, and its count has ${layers} layers; the third must be 1`
  }
  if (points <= dim) return FEW_POINTS
  return wrongId(ids, points) ?? upTo(points)
}

/** How many points the type itself creates. */
function madePoints({ type, dim, count }: Flexcomp, bare: boolean): number | string | null {
  const [x, y, z] = count
  switch (type) {
    case 'circle':
      if (dim === 1) return bare && x < 2 ? NO_ELEMENTS : x - 1
      return gridPoints(count, dim, bare)
    case 'grid':
    case 'square':
    case 'disc':
      return gridPoints(count, dim, bare)
    case 'box':
    case 'cylinder':
    case 'ellipsoid':
      // A side of one point would make MuJoCo loop forever.
      if (count.some((n) => n < 2)) return 'has a side of one point, which MuJoCo never ends with'
      // A surface is open at its top; a volume has a point in the middle.
      return dim === 3 ? 1 + 2 * x * y + 2 * (x + y - 2) * (z - 2) : x * y + 2 * (x + y - 2) * (z - 1)
    default:
      return null
  }
}

const FLAT = new Set(['grid', 'circle', 'square', 'disc'])
const NO_ELEMENTS = 'makes no elements'
const FEW_POINTS = 'has too few points for one element'

function upTo(n: number): number[] {
  return [...Array(Math.min(n, limits.objects + 1)).keys()]
}

function gridPoints(count: Flexcomp['count'], dim: number, bare: boolean): number | string {
  const sides = count.slice(0, dim)
  if (bare && sides.some((n) => n < 2)) return NO_ELEMENTS
  return sides.reduce((product, n) => product * n, 1)
}

function directPoints({ dim }: Flexcomp, points: number, ids: readonly number[]): number[] | string {
  if (points === 0 || ids.length === 0) return 'needs points and elements'
  if (points % 1 > 0) return 'has a point without three coordinates'
  if (ids.length % (dim + 1) > 0) return `has an element without ${dim + 1} points`
  const used = new Set(ids)
  if (used.size <= dim) return FEW_POINTS
  return wrongId(ids, points) ?? upTo(points).filter((id) => used.has(id))
}

function wrongId(ids: readonly number[], points: number): string | null {
  const wrong = ids.find((id) => !(id >= 0 && id < points))
  return wrong === undefined ? null : `has an element with the point ${wrong}, and ${points} points`
}
