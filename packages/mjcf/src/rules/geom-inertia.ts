import type { SpecObject } from '../compose/types.ts'
import { EPSILON, given, numberOf, textOf } from './fields.ts'
import { shapeOf } from './shapes.ts'

export interface Inertia {
  readonly mass: number
  /** The moments about the principal axes. */
  readonly inertia: readonly [number, number, number]
}

/**
 * Mass and inertia that a geom adds to its body; null if its volume depends on a mesh or height field; `negative` if
 * MuJoCo rejects it.
 */
export function geomInertia(geom: SpecObject, fitted: boolean): Inertia | 'negative' | null {
  const { type, size } = shapeOf(geom, [0, 0, 0])
  const mass = given(geom, 'mass') ? numberOf(geom, 'mass', 0) : null
  const density = numberOf(geom, 'density', 1000)
  if (mass === 0 || (mass === null && density === 0)) return { mass: 0, inertia: [0, 0, 0] }
  if ((mass ?? density) < 0) return type === 'plane' ? null : 'negative'
  if (type === 'mesh' || type === 'sdf' || type === 'hfield' || fitted) return null
  const shell = textOf(geom, 'shellinertia', 'false') === 'true'
  const volume = volumeOf(type, size, shell)
  // A geom with an explicit mass but almost no volume contributes nothing.
  if (mass !== null && volume <= EPSILON) return { mass: 0, inertia: [0, 0, 0] }
  const heavy = mass ?? density * volume
  // The exact inertia of long shells is not needed, only that it is not zero.
  return { mass: heavy, inertia: shell ? shellInertia(heavy, size) : solidInertia(type, heavy, size) }
}

function volumeOf(type: string, [a = 0, b = 0, c = 0]: readonly number[], shell: boolean): number {
  switch (type) {
    case 'sphere':
      return shell ? 4 * Math.PI * a * a : (4 * Math.PI * a ** 3) / 3
    case 'capsule':
      return shell ? 4 * Math.PI * a * (a + b) : Math.PI * (a * a * 2 * b + (4 * a ** 3) / 3)
    case 'cylinder':
      return shell ? 2 * Math.PI * a * (a + 2 * b) : Math.PI * a * a * 2 * b
    case 'ellipsoid': {
      const p = 1.6075
      const mean = ((a * b) ** p + (b * c) ** p + (c * a) ** p) / 3
      return shell ? 4 * Math.PI * mean ** (1 / p) : (4 * Math.PI * a * b * c) / 3
    }
    case 'box':
      return shell ? 8 * (a * b + b * c + c * a) : 8 * a * b * c
    default:
      return 0
  }
}

function solidInertia(type: string, mass: number, [a = 0, b = 0, c = 0]: readonly number[]): [number, number, number] {
  switch (type) {
    case 'sphere':
      return [0.4 * mass * a * a, 0.4 * mass * a * a, 0.4 * mass * a * a]
    case 'ellipsoid':
      return [(mass * (b * b + c * c)) / 5, (mass * (a * a + c * c)) / 5, (mass * (a * a + b * b)) / 5]
    case 'box':
      return [(mass * (b * b + c * c)) / 3, (mass * (a * a + c * c)) / 3, (mass * (a * a + b * b)) / 3]
    case 'cylinder': {
      const across = (mass * (3 * a * a + 4 * b * b)) / 12
      return [across, across, (mass * a * a) / 2]
    }
    case 'capsule': {
      const ends = (mass * 2 * a) / (2 * a + 3 * b)
      const middle = mass - ends
      const across = (middle * (3 * a * a + 4 * b * b)) / 12 + 0.4 * ends * a * a + (ends * b * (3 * a + 4 * b)) / 4
      return [across, across, (middle * a * a) / 2 + 0.4 * ends * a * a]
    }
    default:
      return [0, 0, 0]
  }
}

/** A lower bound: the inertia of a spherical shell of the smallest extent. */
function shellInertia(mass: number, size: readonly number[]): [number, number, number] {
  const least = Math.min(...size.filter((value) => value > 0))
  const value = (2 * mass * least * least) / 3
  return [value, value, value]
}
