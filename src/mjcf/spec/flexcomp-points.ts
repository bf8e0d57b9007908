/** The points that a flexcomp is made of, before any is pinned. */
import { limits } from '../limits.ts'
import type { Flexcomp } from './flexcomp.ts'
import { wordsIn } from './read-objects.ts'

/** The ids of the points that elements use; a sentence's predicate where MuJoCo refuses them, null where a file decides. */
export function pointsOf(flexcomp: Flexcomp): number[] | string | null {
  const { type, dim, count } = flexcomp
  const [x, y, z] = count
  if (count.some((n) => n > limits.objects)) return [...Array(limits.objects + 1).keys()]
  switch (type) {
    case 'grid':
      return gridPoints(count, dim)
    case 'circle':
      return dim === 1 ? (x < 2 ? 'makes no elements' : upTo(x - 1)) : gridPoints(count, dim)
    case 'square':
    case 'disc':
      return gridPoints(count, 2)
    case 'box':
    case 'cylinder':
    case 'ellipsoid':
      // A side of one point would keep MuJoCo busy for ever.
      if (count.some((n) => n < 2)) return 'has a side of one point, which MuJoCo never ends with'
      // A surface is open at its top; a volume has a point in the middle.
      return upTo(dim === 3 ? 1 + 2 * x * y + 2 * (x + y - 2) * (z - 2) : x * y + 2 * (x + y - 2) * (z - 1))
    case 'direct':
      return directPoints(flexcomp)
    default:
      return null
  }
}

function upTo(n: number): number[] {
  return [...Array(Math.min(n, limits.objects + 1)).keys()]
}

function gridPoints(count: Flexcomp['count'], dim: number): number[] | string {
  const sides = count.slice(0, dim)
  if (sides.some((n) => n < 2)) return 'makes no elements'
  return upTo(sides.reduce((product, n) => product * n, 1))
}

function directPoints({ element, dim }: Flexcomp): number[] | string {
  const coordinates = wordsIn(element.attributes.get('point')).length
  const ids = wordsIn(element.attributes.get('element')).map(Number)
  if (coordinates === 0 || ids.length === 0) return 'needs points and elements'
  if (coordinates % 3 > 0) return 'has a point without three coordinates'
  if (ids.length % (dim + 1) > 0) return `has an element without ${dim + 1} points`
  const wrong = ids.find((id) => !(id >= 0 && id < coordinates / 3))
  if (wrong !== undefined) return `has an element with the point ${wrong}, and ${coordinates / 3} points`
  const used = new Set(ids)
  return upTo(coordinates / 3).filter((id) => used.has(id))
}
