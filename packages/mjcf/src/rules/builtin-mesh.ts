import type { XmlElement } from '../xml/element.ts'
import { numbersIn } from './fields.ts'

interface Builtin {
  readonly count: number
  readonly holds: (params: readonly number[]) => boolean
  readonly needs: string
}

/** A text that is not a number becomes 0. */
const whole = (value = 0) => Math.trunc(value) || 0
const BUILTINS: ReadonlyMap<string, Builtin> = new Map(
  Object.entries({
    hemisphere: { count: 1, holds: ([n]) => whole(n) >= 0 && whole(n) <= 10, needs: 'a resolution of 0 to 10' },
    sphere: { count: 1, holds: ([n]) => whole(n) >= 0 && whole(n) <= 4, needs: 'a subdivision of 0 to 4' },
    supersphere: {
      count: 3,
      holds: ([n, e = 0, m = 0]) => whole(n) >= 3 && e >= 0 && m >= 0,
      needs: 'a resolution above 2 and two exponents of 0 or more',
    },
    supertorus: {
      count: 4,
      holds: ([n, radius = 0, s = 0, t = 0]) => whole(n) >= 3 && radius > 0 && radius <= 1 && s > 0 && t > 0,
      needs: 'a resolution above 2, a radius in 0 to 1 and two positive exponents',
    },
    wedge: {
      count: 5,
      holds: ([n, m, across = 0, up = 0, gamma = 0]) =>
        whole(n) > 0 &&
        whole(m) > 0 &&
        whole(n) * whole(m) > 3 &&
        across > 0 &&
        across <= 180 &&
        up > 0 &&
        up <= 90 &&
        gamma >= 0 &&
        gamma <= 1,
      needs: 'two positive resolutions of 4 points at least, fields of view up to 180 and 90 and a gamma in 0 to 1',
    },
    plate: { count: 2, holds: ([n, m]) => whole(n) > 1 && whole(m) > 1, needs: 'two resolutions above 1' },
    cone: { count: 2, holds: ([n]) => whole(n) > 2, needs: 'three edges or more' },
    none: { count: 1, holds: () => true, needs: '' },
  } satisfies Record<string, Builtin>),
)

/** Why a builtin mesh cannot be built from its params; null if it can, or if the mesh is not builtin. */
export function builtinMeshFault({ attributes }: XmlElement): string | null {
  const kind = attributes.get('builtin')
  const builtin = kind === undefined ? undefined : BUILTINS.get(kind)
  if (kind === undefined || builtin === undefined) return null
  const params = attributes.get('params')
  if (params === undefined) return `is a builtin ${kind} and has no params`
  const numbers = numbersIn(params)
  if (kind === 'none') return null
  if (numbers.length !== builtin.count) return `is a builtin ${kind}, which has ${builtin.count} params`
  return builtin.holds(numbers) ? null : `is a builtin ${kind}, which needs ${builtin.needs}`
}
