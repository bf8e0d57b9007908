/**
 * The shortcuts (`position`, `muscle`, …): each sets the general parameters that it represents, from its own attributes
 * and those of the previous layers.
 */
import type { XmlElement } from '../xml/element.ts'
import type { ActuatorState } from './actuator-settings.ts'
import { applyDcmotor } from './dcmotor.ts'
import { numbersIn } from './fields.ts'

/** Applies one element to the state. Returns why MuJoCo rejects its numbers, or null. */
export function applyShortcut(state: ActuatorState, element: XmlElement): string | null {
  const number = (name: string) => numbersIn(element.attributes.get(name))[0]
  const types = (dyntype: string, gaintype: string, biastype: string) =>
    Object.assign(state, { dyntype, gaintype, biastype })
  switch (element.name) {
    case 'general':
      readInput(state, element)
      return null
    case 'motor':
      state.gainprm[0] = 1
      types('none', 'fixed', 'none')
      return null
    case 'position':
      return applyPosition(state, element)
    case 'intvelocity': {
      // MuJoCo does not notice faults of its gains; it checks only its ranges.
      applyPosition(state, element)
      state.dyntype = 'integrator'
      const twice = state.inheritrange > 0 && state.actrange.some((value) => value !== 0)
      return twice ? 'has both an actrange and an inheritrange' : null
    }
    case 'orientation': {
      readInput(state, element)
      const fault = applyServo(state, element, true)
      types('none', 'so3', 'so3')
      return fault
    }
    case 'pid':
      return applyPid(state, element)
    case 'velocity': {
      const kv = number('kv') ?? (state.gainprm[0] as number)
      state.biasprm.fill(0)
      state.gainprm[0] = kv
      state.biasprm[2] = -kv
      types('none', 'fixed', 'affine')
      return null
    }
    case 'damper': {
      const inherited = state.gaintype === 'affine' ? -(state.gainprm[2] as number) : 0
      const kv = number('kv') ?? inherited
      state.gainprm.fill(0)
      state.gainprm[2] = -kv
      state.ctrllimited = 'true'
      types('none', 'affine', 'none')
      if (kv < 0) return `has the kv ${kv}, which cannot be negative`
      return state.ctrlrange.some((value) => value < 0) ? 'has a ctrlrange below 0, which a damper cannot have' : null
    }
    case 'cylinder': {
      const bias = numbersIn(element.attributes.get('bias'))
      for (const [i, value] of bias.slice(0, 3).entries()) state.biasprm[i] = value
      state.dynprm[0] = number('timeconst') ?? (state.dynprm[0] as number)
      state.gainprm[0] = number('area') ?? (state.gainprm[0] as number)
      types('filter', 'fixed', 'affine')
      return null
    }
    case 'muscle':
      return applyMuscle(state, element)
    case 'adhesion': {
      const gain = number('gain') ?? (state.gainprm[0] as number)
      state.gainprm[0] = gain
      state.ctrllimited = 'true'
      state.gaintype = 'fixed'
      state.biastype = 'none'
      if (gain < 0) return `has the gain ${gain}, which cannot be negative`
      return state.ctrlrange.some((value) => value < 0) ? 'has a ctrlrange below 0, which adhesion cannot have' : null
    }
    case 'dcmotor':
      readInput(state, element)
      return applyDcmotor(state, element)
    default:
      return null
  }
}

function applyServo(state: ActuatorState, element: XmlElement, gain: boolean): string | null {
  const number = (name: string) => numbersIn(element.attributes.get(name))[0]
  const kp = number('kp') ?? (gain ? (state.gainprm[0] as number) : -(state.biasprm[1] as number))
  const kv = number('kv')
  const dampratio = number('dampratio')
  if (gain) state.gainprm[0] = kp
  state.biasprm[1] = -kp
  if (kv !== undefined && dampratio !== undefined) return 'has both a kv and a dampratio'
  if (kv !== undefined && kv < 0) return `has the kv ${kv}, which cannot be negative`
  if (kv !== undefined) state.biasprm[2] = -kv
  if (dampratio !== undefined && dampratio < 0) return `has the dampratio ${dampratio}, which cannot be negative`
  if (dampratio !== undefined) state.biasprm[2] = dampratio
  return null
}

function applyPosition(state: ActuatorState, element: XmlElement): string | null {
  const number = (name: string) => numbersIn(element.attributes.get(name))[0]
  const inheritrange = number('inheritrange') ?? state.inheritrange
  const fault = applyServo(state, element, true)
  if (fault !== null) return fault
  const timeconst = number('timeconst')
  if (timeconst !== undefined && timeconst < 0) return `has the timeconst ${timeconst}, which cannot be negative`
  if (timeconst !== undefined) {
    state.dynprm[0] = timeconst
    state.dyntype = timeconst === 0 ? 'none' : 'filterexact'
  }
  state.inheritrange = inheritrange
  if (inheritrange > 0 && state.ctrlrange.some((value) => value !== 0))
    return 'has both a ctrlrange and an inheritrange'
  state.gaintype = 'fixed'
  state.biastype = 'affine'
  return null
}

function applyPid(state: ActuatorState, element: XmlElement): string | null {
  const number = (name: string) => numbersIn(element.attributes.get(name))[0]
  const inherited = state.dyntype === 'pid'
  const ki = number('ki') ?? (inherited ? (state.gainprm[0] as number) : 0)
  const imax = number('imax') ?? (inherited ? (state.dynprm[0] as number) : 0)
  const slewmax = number('slewmax') ?? (inherited ? (state.dynprm[1] as number) : 0)
  const inheritrange = number('inheritrange') ?? state.inheritrange
  readInput(state, element)
  for (const [i, value] of numbersIn(element.attributes.get('posrange')).slice(0, 2).entries())
    state.ctrlrange[i] = value
  const fault = applyServo(state, element, false)
  if (fault !== null) return fault
  if (slewmax < 0) return `has the slewmax ${slewmax}, which cannot be negative`
  state.gainprm[0] = ki
  state.dynprm[1] = slewmax
  state.dyntype = ki !== 0 || slewmax !== 0 ? 'pid' : 'none'
  if (ki !== 0) state.dynprm[0] = imax
  state.inheritrange = inheritrange
  if (inheritrange > 0 && state.ctrlrange.some((value) => value !== 0)) return 'has both a posrange and an inheritrange'
  state.gaintype = 'pid'
  state.biastype = 'affine'
  return null
}

const MUSCLE_DYN = [1, 0] as const
const MUSCLE_DEFAULTS = { dyn: [0.01, 0.04], gain: [0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2] } as const

function applyMuscle(state: ActuatorState, element: XmlElement): string | null {
  for (const [i, value] of MUSCLE_DEFAULTS.dyn.entries()) if (state.dynprm[i] === MUSCLE_DYN[i]) state.dynprm[i] = value
  for (const [i, value] of MUSCLE_DEFAULTS.gain.entries())
    if (state.gainprm[i] === (i === 0 ? 1 : 0)) state.gainprm[i] = value
  const tausmooth = numbersIn(element.attributes.get('tausmooth'))[0] ?? (state.dynprm[2] as number)
  if (tausmooth < 0) return `has the tausmooth ${tausmooth}, which cannot be negative`
  state.dynprm[2] = tausmooth
  const [range0 = -1, range1 = -1] = numbersIn(element.attributes.get('range'))
  const rest = ['force', 'scale', 'lmin', 'lmax', 'vmax', 'fpmax', 'fvmax']
  const values = [range0, range1, ...rest.map((name) => numbersIn(element.attributes.get(name))[0] ?? -1)]
  for (const [i, value] of values.entries()) if (value >= 0) state.gainprm[i] = value
  for (let i = 0; i < 9; i++) state.biasprm[i] = state.gainprm[i] as number
  Object.assign(state, { dyntype: 'muscle', gaintype: 'muscle', biastype: 'muscle' })
  return null
}

/** The `input` attribute: a chart, `none`, or tokens. */
function readInput(state: ActuatorState, element: XmlElement): void {
  const input = element.attributes.get('input')
  if (input !== undefined) state.input = input.split(/\s+/).filter(Boolean).join(' ')
}
