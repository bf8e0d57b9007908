/** Actuators of a compiled model: what they pull at, and which of MuJoCo's shortcuts they were written as. */
import { numbers, pair, rangesGiven } from './arrays.ts'
import { isDirect } from './direct-drive.ts'
import type { ActuatorFacts } from './model-facts.ts'
import type { Model, Mujoco } from './mujoco.ts'
import type { PrintedFlags } from './printed-flags.ts'

/** The actuators of a model, in its order. */
export function actuatorFacts(
  mujoco: Mujoco,
  model: Model,
  names: readonly (string | null)[],
  flags: PrintedFlags,
): ActuatorFacts[] {
  const [transmissions, gains, biases] = [
    wordsOf(mujoco.mjtTrn, 'mjTRN_'),
    wordsOf(mujoco.mjtGain, 'mjGAIN_'),
    wordsOf(mujoco.mjtBias, 'mjBIAS_'),
  ]
  const dynamics = wordsOf(mujoco.mjtDyn, 'mjDYN_')
  const dynamicTypes = numbers(model.actuator_dyntype)
  const [ctrlRanges, forceRanges] = [numbers(model.actuator_ctrlrange), numbers(model.actuator_forcerange)]
  const ctrlLimited = flags('actuator_ctrllimited', names.length) ?? rangesGiven(ctrlRanges)
  const forceLimited = flags('actuator_forcelimited', names.length) ?? rangesGiven(forceRanges)
  const [gears, gainPrm, biasPrm] = [
    numbers(model.actuator_gear),
    numbers(model.actuator_gainprm),
    numbers(model.actuator_biasprm),
  ]
  const [gainTypes, biasTypes] = [numbers(model.actuator_gaintype), numbers(model.actuator_biastype)]
  const jointsOf = movedJoints(model)
  // Six gears an actuator, and ten numbers each of gain and bias.
  const width = gainPrm.length / Math.max(1, names.length)
  return numbers(model.actuator_trntype).map((type, at) => {
    const transmission = transmissions.get(type) ?? 'other'
    const gain = gains.get(gainTypes[at] ?? -1) ?? 'other'
    const bias = biases.get(biasTypes[at] ?? -1) ?? 'other'
    const dynamic = dynamics.get(dynamicTypes[at] ?? -1) ?? 'other'
    const drive = driveOf({
      gain,
      bias,
      dynamics: dynamic,
      gainOf: gainPrm[width * at] ?? 0,
      biasprm: biasPrm.slice(width * at, width * at + 3),
    })
    return {
      name: names[at] ?? null,
      transmission,
      joints: jointsOf(transmission, at),
      gear: gears[6 * at] ?? 1,
      gain,
      bias,
      dynamics: dynamic,
      gain_value: gainPrm[width * at] ?? 0,
      ctrl_range: ctrlLimited[at] ? pair(ctrlRanges, at) : null,
      force_range: forceLimited[at] ? pair(forceRanges, at) : null,
      ...drive,
    }
  })
}

/**
 * MuJoCo's documentation of `<position>`, `<velocity>`, `<intvelocity>` and `<motor>`: which gain, bias and dynamics
 * each is short for.
 */
function driveOf({
  gain,
  bias,
  dynamics,
  gainOf,
  biasprm: [offset = 0, stiffness = 0, damping = 0],
}: {
  readonly gain: string
  readonly bias: string
  readonly dynamics: string
  readonly gainOf: number
  readonly biasprm: readonly number[]
}): Pick<ActuatorFacts, 'mode' | 'kp' | 'kd'> {
  if (gain !== 'fixed') return { mode: null, kp: null, kd: null }
  if (bias === 'none') return { mode: 'torque', kp: null, kd: null }
  if (bias !== 'affine' || offset !== 0) return { mode: null, kp: null, kd: null }
  if (stiffness !== 0 && close(stiffness, -gainOf)) {
    // `<intvelocity>`: a position servo whose target is what its control adds up to.
    return { mode: dynamics === 'integrator' ? 'velocity' : 'position', kp: gainOf, kd: -damping }
  }
  if (stiffness === 0 && close(damping, -gainOf)) return { mode: 'velocity', kp: null, kd: gainOf }
  return { mode: null, kp: null, kd: null }
}

const close = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a))

/** Returns the joints that an actuator, given by its index, moves. */
function movedJoints(model: Model): (transmission: string, actuator: number) => number[] {
  const targets = numbers(model.actuator_trnid)
  const [starts, counts] = [numbers(model.tendon_adr), numbers(model.tendon_num)]
  const [types, objects] = [numbers(model.wrap_type), numbers(model.wrap_objid)]
  return (transmission, actuator) => {
    const target = targets[2 * actuator] ?? -1
    if (isDirect(transmission)) return target >= 0 ? [target] : []
    if (transmission !== 'tendon') return []
    const from = starts[target] ?? 0
    const places = Array.from({ length: counts[target] ?? 0 }, (_, at) => from + at)
    return places.flatMap((place) => (types[place] === WRAP_JOINT ? [objects[place] ?? 0] : []))
  }
}

/** `mjWRAP_JOINT`: a joint of a fixed tendon. */
const WRAP_JOINT = 1

/** An enum of MuJoCo by number, in words: `mjGAIN_FIXED` is `fixed`. */
function wordsOf(values: object, prefix: string): ReadonlyMap<number, string> {
  const entries = Object.entries(values as Record<string, { readonly value: number }>)
  return new Map(
    entries
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, { value }]) => [value, name.slice(prefix.length).toLowerCase()]),
  )
}
