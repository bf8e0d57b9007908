/**
 * Keyframes while a model is built: attach and replicate carry them over, and their values have to fit the model at
 * that moment.
 */

import { scanNumbers } from '../grammar/values.ts'
import { actuatorState } from '../rules/actuator-state.ts'
import type { XmlElement } from '../xml/element.ts'
import { type Draft, type DraftKey, listOf, reserve } from './draft.ts'
import { type Rename, renamed } from './node.ts'
import type { KeyField } from './types.ts'

const FIELDS: readonly KeyField[] = ['qpos', 'qvel', 'act', 'ctrl', 'mpos', 'mquat']

/** A `<key>`; an empty field counts as absent. */
export function readKey(element: XmlElement): DraftKey {
  const lengths: DraftKey['lengths'] = {}
  for (const field of FIELDS) {
    const { count: length } = scanNumbers(element.attributes.get(field) ?? '', 'real')
    if (length > 0) lengths[field] = length
  }
  return { name: element.attributes.get('name') ?? '', element, lengths, refused: false }
}

/** Carries a model's own keys over under new names. The size of each must equal the current size of its model. */
export function carryKeys(from: Draft, into: Draft, rename: Rename): void {
  const [first] = from.keys
  if (first === undefined) return
  reserve(into, from.keys.length, first.element)
  const sizes = sizesNow(from)
  for (const key of from.keys) {
    into.carried.push({ ...key, name: renamed(key.name, rename) })
    const wrong = FIELDS.find((field) => key.lengths[field] !== undefined && !fits(key.lengths[field], sizes[field]))
    if (wrong === undefined || key.refused) continue
    key.refused = true
    into.building.faults.add(
      'compile',
      key.element,
      `${wrong} of ${key.name === '' ? 'an unnamed keyframe' : `the keyframe "${key.name}"`} has ${key.lengths[wrong]} numbers, and the model ${sizes[wrong]} where it is copied.`,
      {
        names: key.name === '' ? [] : [key.name],
        hint:
          'The first replicate and each attach copy the keyframes, which have to fit the bodies written before its ' +
          'end.',
      },
    )
  }
}

/** Fields that are too short for the model are padded after each attach and at the end. */
export function fillKeys(draft: Draft): void {
  if (draft.keys.length === 0) return
  const sizes = sizesNow(draft)
  for (const { lengths } of draft.keys) {
    for (const field of FIELDS) {
      const length = lengths[field]
      const size = sizes[field]
      if (length === undefined || size === null) continue
      // Poses of mocap bodies are counted in complete bodies.
      const unit = field === 'mpos' ? 3 : field === 'mquat' ? 4 : 1
      if (size / unit > Math.floor(length / unit)) lengths[field] = size
    }
  }
}

function fits(length: number | undefined, size: number | null): boolean {
  return size === null || length === size
}

/** Current lengths of the fields. Until the model is compiled, each actuator counts as one control. */
function sizesNow(draft: Draft): Record<KeyField, number | null> {
  const { nq, nv, nmocap } = draft.sizes
  const actuators = listOf(draft, 'actuator')
  const plugins = actuators.some(({ element }) => element.name === 'plugin')
  let na = 0
  for (const actuator of actuators) {
    const { dyntype, actdim } = actuatorState(actuator).state
    na += actdim > 0 ? actdim : dyntype === 'none' ? 0 : 1
  }
  return { qpos: nq, qvel: nv, act: plugins ? null : na, ctrl: actuators.length, mpos: 3 * nmocap, mquat: 4 * nmocap }
}
