/** Actuators as sliders: the range of each control, and what its numbers mean. Pure. */
import type { ActuatorFacts, ModelFacts } from '@hub/robot-view/physics/model-facts'

export interface Control {
  readonly key: string
  readonly label: string
  /** `rad`, `m`, `N·m` and the like; empty where the number has no unit of its own. */
  readonly unit: string
  readonly mode: ActuatorFacts['mode']
  readonly min: number
  readonly max: number
  readonly step: number
  /** Whether the model limits it to the range, or the range is what a slider needs. */
  readonly limited: boolean
  /** Place in ctrl. */
  readonly at: number
}

/** `places`: in ctrl, of each actuator. */
export function controlsOf(facts: Pick<ModelFacts, 'actuators' | 'joints'>, places: readonly number[]): Control[] {
  return facts.actuators.map((actuator, index) => {
    const joint = actuator.joints.length === 1 ? facts.joints[actuator.joints[0] ?? -1] : undefined
    const [min, max] = actuator.ctrl_range ?? guessedRange(actuator, joint)
    return {
      key: `${index}`,
      label: actuator.name ?? joint?.name ?? `actuator ${index}`,
      unit: unitOf(actuator, joint?.type),
      mode: actuator.mode,
      min,
      max,
      step: (max - min) / 1000,
      limited: actuator.ctrl_range !== null,
      at: places[index] ?? index,
    }
  })
}

type Joint = ModelFacts['joints'][number] | undefined

/** Of a servo without a range, the range of its joint; of a motor, the force that its joint or itself is limited to. */
function guessedRange({ mode, gear, force_range, gain_value }: ActuatorFacts, joint: Joint): readonly [number, number] {
  if (mode === 'position' && joint?.limited) return ordered(joint.range[0] * gear, joint.range[1] * gear)
  if (mode === 'position' && joint?.type === 'hinge') return ordered(-Math.PI * gear, Math.PI * gear)
  if (mode === 'torque' && force_range && gain_value !== 0)
    return ordered(force_range[0] / gain_value, force_range[1] / gain_value)
  return mode === 'velocity' ? [-5, 5] : [-1, 1]
}

const ordered = (a: number, b: number): readonly [number, number] => (a === b ? [-1, 1] : a < b ? [a, b] : [b, a])

/** A gear or a tendon changes what a number stands for. */
function unitOf({ mode, gear, gain_value, transmission }: ActuatorFacts, type: string | undefined): string {
  const isDirect = transmission === 'joint' || transmission === 'jointinparent'
  if (!isDirect || mode === null || (type !== 'hinge' && type !== 'slide')) return ''
  const turns = type === 'hinge'
  if (mode === 'torque') return gear === 1 && gain_value === 1 ? (turns ? 'N·m' : 'N') : ''
  if (gear !== 1) return ''
  if (mode === 'position') return turns ? 'rad' : 'm'
  return turns ? 'rad/s' : 'm/s'
}
