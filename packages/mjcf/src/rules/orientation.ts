import type { XmlElement } from '../xml/element.ts'
import { isZero, type Layered, numbersIn, vectorOf } from './fields.ts'

const ALTERNATIVES = { axisangle: 4, xyaxes: 6, zaxis: 3, euler: 3 } as const
type Alternative = keyof typeof ALTERNATIVES
const NAMES = Object.keys(ALTERNATIVES) as Alternative[]

/**
 * Why MuJoCo cannot compute a rotation from an object's attributes, null if it can. The four spellings other than
 * `quat` share one slot: the last one read, in a default class or in the element, applies, even over a `quat` of the
 * element itself.
 */
export function orientationFault(object: Layered, eulerseq: string): string | null {
  // An empty attribute counts as absent.
  const spelledIn = ({ attributes }: XmlElement) =>
    NAMES.find((name) => attributes.has(name) && numbersIn(attributes.get(name)).length > 0)
  const layer = object.layers.findLast((at) => spelledIn(at) !== undefined)
  const last = spelledIn(object.element) ?? (layer && spelledIn(layer))
  if (last === undefined) return null
  const numbers = vectorOf(object, last, new Array<number>(ALTERNATIVES[last]).fill(0))
  return alternativeFault(last, numbers, eulerseq)
}

function alternativeFault(name: Alternative, numbers: readonly number[], eulerseq: string): string | null {
  switch (name) {
    case 'axisangle':
      return isZero(numbers.slice(0, 3)) ? 'has an axisangle whose axis has no length' : null
    case 'zaxis':
      return isZero(numbers) ? 'has a zaxis that has no length' : null
    case 'xyaxes':
      return xyaxesFault(numbers.slice(0, 3), numbers.slice(3))
    case 'euler':
      return /^[xyzXYZ]*$/.test(eulerseq)
        ? null
        : `has euler angles, and the eulerseq "${eulerseq}" is not of x, y, z, X, Y, Z`
  }
}

function xyaxesFault(x: readonly number[], y: readonly number[]): string | null {
  if (isZero(x)) return 'has xyaxes whose first axis has no length'
  const length = Math.hypot(...x)
  const unit = x.map((value) => value / length)
  const along = unit.reduce((sum, value, i) => sum + value * (y[i] as number), 0)
  const across = y.map((value, i) => value - along * (unit[i] as number))
  return isZero(across) ? 'has xyaxes that are parallel' : null
}

/** How to fix an invalid rotation. */
export const ORIENTATION_HINT = 'Correct it, or write the rotation as a quat.'
