import type { KeyField, Spec } from '../compose/types.ts'
import type { ModelReading } from '../reading.ts'
import type { Report } from './report.ts'

type Sizes = NonNullable<ModelReading['sizes']>

/** Checks keyframes: a field is either absent or has the exact number of values. */
export function checkKeys(spec: Spec, sizes: Sizes, report: Report): void {
  const mocap = spec.bodies.filter((body) => body.mocap).length
  const expected: Record<KeyField, number | null> = {
    qpos: sizes.nq,
    qvel: sizes.nv,
    act: sizes.na,
    ctrl: sizes.nu,
    mpos: 3 * mocap,
    mquat: 4 * mocap,
  }
  for (const { name, element, lengths } of spec.keys) {
    if (element === null) continue
    for (const field of Object.keys(expected) as KeyField[]) {
      const length = lengths[field] ?? 0
      const wanted = expected[field]
      if (length === 0 || wanted === null || length === wanted) continue
      const label = name === '' ? 'An unnamed keyframe' : `The keyframe "${name}"`
      const message = `${label} has ${length} numbers in ${field}; the model has ${wanted} (${MEANING[field]}).`
      report.fault({ rule: `key ${field}`, kind: 'compile' }, element, message, { names: name === '' ? [] : [name] })
    }
  }
}

const MEANING: Readonly<Record<KeyField, string>> = {
  qpos: 'nq: 7 for each free joint, 4 for each ball, 1 for each hinge and slide',
  qvel: 'nv: 6 for each free joint, 3 for each ball, 1 for each hinge and slide',
  act: 'na: activations of actuators',
  ctrl: 'nu: controls of actuators',
  mpos: '3 for each mocap body',
  mquat: '4 for each mocap body',
}
