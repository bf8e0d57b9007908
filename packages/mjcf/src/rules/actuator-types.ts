/**
 * How gain, bias and dynamics types may be combined, and how many controls and activations an actuator gets from them.
 */
import type { ActuatorState } from './actuator-settings.ts'
import { isLimited } from './limited.ts'

/** Why the types of an actuator cannot be combined; null if they can. */
export function dynamicsFault(state: ActuatorState, transmission: string, plugin: boolean): string | null {
  const { dyntype, gaintype, biastype, input } = state
  if (gaintype === 'so3' || biastype === 'so3') {
    const fault = so3Fault(state, transmission)
    if (fault !== null) return fault
  }
  if (gaintype === 'pid') {
    const fault = pidFault(state, transmission)
    if (fault !== null) return fault
  } else if (dyntype === 'pid') return `has the dyntype pid and the gaintype ${gaintype}; they go together`
  if (gaintype === 'dcmotor') {
    const fault = controllerFault(state)
    if (fault !== null) return fault
  } else if (input !== '' && gaintype !== 'so3' && gaintype !== 'pid') {
    return `has an input, which the gaintype ${gaintype} does not choose`
  }
  return plugin ? null : (actdimFault(state) ?? earlyFault(state) ?? muscleFault(state) ?? historyFault(state))
}

function so3Fault(state: ActuatorState, transmission: string): string | null {
  const { dyntype, gaintype, biastype, gainprm, biasprm, actdim, input } = state
  if (gaintype !== 'so3' || biastype !== 'so3') return 'has one of gaintype and biastype so3, and needs both'
  if (dyntype !== 'none' && dyntype !== 'integrator')
    return `is so3 with the dyntype ${dyntype}; it can be none or integrator`
  if (gainprm[0] !== -(biasprm[1] as number))
    return 'is so3, where the first gainprm must be the second biasprm negated'
  if (transmission !== 'site' && transmission !== 'joint') return 'is so3, which drives a site or a ball joint'
  if (dyntype === 'integrator' && actdim > 0 && actdim !== 3)
    return `is an so3 integrator with actdim ${actdim}; it has 3`
  if (input === 'quat' && dyntype !== 'none') return 'is so3 with quat input, which needs the dyntype none'
  if (!['', 'expmap', 'quat'].includes(input)) return `is so3 with the input "${input}"; it is expmap or quat`
  const forced = isLimited(state.forcelimited, state.forcerange)
  return forced && state.forcerange[0] !== 0 ? 'is so3, where the forcerange must begin with 0' : null
}

function pidFault(state: ActuatorState, transmission: string): string | null {
  const { dyntype, biastype, gainprm, dynprm, actdim } = state
  const [imax = 0, slewmax = 0] = dynprm
  const inputs = inputsOf(state, 'pos vel')
  if (biastype !== 'affine') return `is pid with the biastype ${biastype}; it needs affine`
  if (dyntype !== 'none' && dyntype !== 'pid') return `is pid with the dyntype ${dyntype}; it can be none or pid`
  if (dyntype === 'none' && gainprm[0] !== 0) return 'is pid with an integral gain and the dyntype none'
  if (transmission === 'body') return 'is pid and drives a body, which it cannot'
  if (dyntype === 'pid') {
    if (imax < 0 || slewmax < 0) return 'has a negative imax or slewmax'
    if (actdim > 0 && actdim !== pidStates(state))
      return `has actdim ${actdim}, and its controller has ${pidStates(state)} states`
    if (!inputs.includes('pos')) return 'has controller states, which need the pos input'
  }
  const known = state.input !== 'none' && inputs.every((input) => ['pos', 'vel', 'ff'].includes(input))
  return known ? null : 'is pid, whose inputs are of pos, vel, ff'
}

function controllerFault(state: ActuatorState): string | null {
  const [, K = 0, , , kp, ki = 0, kd] = state.gainprm
  const inputs = inputsOf(state, 'voltage')
  const known = ['pos', 'vel', 'ff', 'voltage']
  if (!inputs.every((input) => known.includes(input)))
    return `is a DC motor, whose inputs are none or of ${known.join(', ')}`
  const controller = inputs.some((input) => input !== 'voltage')
  if (controller && K <= 0) return 'has controller inputs, which need a positive motor constant'
  if (!controller && (kp !== 0 || ki !== 0 || kd !== 0))
    return 'has controller gains and no controller input (pos, vel, ff)'
  if (ki > 0 && !inputs.includes('pos')) return 'has an integral gain, which needs the pos input'
  if (!controller && (state.dynprm[7] as number) > 0)
    return 'has a slew rate limit and no controller input (pos, vel, ff)'
  return null
}

function actdimFault(state: ActuatorState): string | null {
  const { dyntype, gaintype } = state
  if (gaintype === 'so3') return null
  // A pid has an activation for a slew rate limit and one for an integral gain. One is the most, so it cannot have
  // both.
  const actdim = gaintype === 'pid' && dyntype === 'pid' ? pidStates(state) : state.actdim
  if (actdim > 1 && dyntype !== 'user' && dyntype !== 'dcmotor') {
    return `has ${actdim} activations, and only the dyntypes user and dcmotor have more than one`
  }
  if (actdim === 1 && dyntype === 'none') return 'has actdim 1 and the dyntype none'
  return actdim === 0 && dyntype !== 'none' && dyntype !== 'dcmotor'
    ? `has no activation (actdim 0) and the dyntype ${dyntype}`
    : null
}

function earlyFault({ dyntype, actearly }: ActuatorState): string | null {
  return dyntype === 'dcmotor' && !actearly ? 'has the dyntype dcmotor, which needs actearly' : null
}

function muscleFault({ gaintype, biastype, gainprm, biasprm }: ActuatorState): string | null {
  for (const prm of [gaintype === 'muscle' ? gainprm : null, biastype === 'muscle' ? biasprm : null]) {
    if (prm === null) continue
    const [from = 0, to = 0, , scale = 0, lmin = 0, lmax = 0, vmax = 0, fpmax = 0, fvmax = 0] = prm
    if (from >= to) return 'is a muscle whose range is not ascending'
    if (lmin >= 1 || lmax <= 1) return 'is a muscle that needs lmin below 1 and lmax above'
    if ([scale, vmax, fpmax, fvmax].some((value) => value <= 0))
      return 'is a muscle whose scale, vmax, fpmax and fvmax must be positive'
  }
  return null
}

function historyFault(state: ActuatorState): string | null {
  if ((state.delay > 0 || state.nsample > 0) && controlsOf(state) === 0) return 'has a history or delay and no input'
  return state.nsample > 2 ** 24 ? `has nsample ${state.nsample}, and 16777216 is the most` : null
}

function inputsOf({ input }: ActuatorState, initial: string): string[] {
  return input === 'none' ? [] : (input === '' ? initial : input).split(' ')
}

/** Controls of the actuator: one, except for orientation servos, pid and DC motors, which have one for each input. */
export function controlsOf(state: ActuatorState): number {
  if (state.gaintype === 'so3') return state.input === 'quat' ? 4 : 3
  if (state.gaintype === 'pid') return inputsOf(state, 'pos vel').length
  return state.gaintype === 'dcmotor' ? inputsOf(state, 'voltage').length : 1
}

/** Activations of the actuator. */
export function actdimOf(state: ActuatorState): number {
  if (state.gaintype === 'so3' && state.dyntype === 'integrator') return 3
  if (state.gaintype === 'pid' && state.dyntype === 'pid') return pidStates(state)
  if (state.actdim >= 0) return state.actdim
  return state.dyntype === 'none' || state.dyntype === 'dcmotor' ? 0 : 1
}

function pidStates({ dynprm, gainprm }: ActuatorState): number {
  return ((dynprm[1] as number) > 0 ? 1 : 0) + ((gainprm[0] as number) > 0 ? 1 : 0)
}
