/** Position servos that hold the pose a model is in. */
import type { ActuatorFacts, ModelFacts } from './model-facts.ts'
import type { Data, Model } from './mujoco.ts'

/**
 * Sets the target of every position servo to its current position. The others keep the controls of the keyframe, which
 * are 0 without one. Returns those servos.
 */
export function holdPose(model: Model, data: Data, { actuators }: ModelFacts): ActuatorFacts[] {
  const lengths = Float64Array.from(data.actuator_length as ArrayLike<number>)
  const activations = model.actuator_actadr as ArrayLike<number>
  return actuators.filter((actuator, at) => {
    const follows = actuator.mode === 'position'
    const addsUp = actuator.mode === 'velocity' && actuator.kp !== null
    if (!follows && !addsUp) return false
    const target = lengths[model.actuator_outadr[at] ?? at] ?? 0
    data.ctrl[model.actuator_ctrladr[at] ?? at] = follows ? target : 0
    // The target of a servo with a filter or an integrator is its activation.
    const activation = activations[at] ?? -1
    if (activation >= 0) data.act[activation] = target
    return true
  })
}
