import type { Embodiment } from './embodiment.ts'
import { namesOf } from './feature-names.ts'
import { isObject, objectOf, positiveOf } from './json.ts'

/**
 * The body that a LeRobot data set was recorded on, by its parsed `meta/info.json` (v2.0, v2.1, v3.0). Joints are the
 * names of `action`, else of `observation.state`. It does not say units: some are in degrees. Null where no number of
 * either has a name, or a name is there twice.
 */
export function fromLeRobot(info: unknown): Embodiment | null {
  if (!isObject(info)) return null
  const features = objectOf(info.features)
  const names = namedNumbers(features.action) ?? namedNumbers(features['observation.state'])
  if (names === null) return null
  return {
    joints: names.map((name) => ({
      ...{ name, kind: null, unit: null },
      ...{ lower: null, upper: null, velocity: null, effort: null },
    })),
    rateHz: positiveOf(info.fps),
    base: null,
    action: null,
    cameras: Object.entries(features).flatMap(([name, feature]) => cameraOf(name, objectOf(feature))),
  }
}

function namedNumbers(feature: unknown): readonly string[] | null {
  const { names, shape } = objectOf(feature)
  const found = namesOf(names)
  const width = Array.isArray(shape) ? shape.reduce((size: number, part) => size * Number(part), 1) : found.length
  if (found.length === 0 || found.length !== width) return null
  const usable = Array.from(found).every((name) => typeof name === 'string' && name !== '')
  return usable && new Set(found).size === found.length ? found : null
}

const imagePrefix = /^observation\.images?\./

function cameraOf(key: string, feature: Readonly<Record<string, unknown>>): Embodiment['cameras'] {
  if (feature.dtype !== 'video' && feature.dtype !== 'image') return []
  const sizes = Array.isArray(feature.shape) ? feature.shape : []
  const axes = namesOf(feature.names)
  const at = (axis: string) => positiveOf(sizes[axes.indexOf(axis)])
  return [{ name: key.replace(imagePrefix, ''), width: at('width'), height: at('height'), slot: null, needed: false }]
}
