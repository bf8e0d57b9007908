import { actuatorTargets } from '../compose/targets.ts'
import type { Spec, SpecJoint, SpecObject } from '../compose/types.ts'
import type { ActuatorState } from './actuator-settings.ts'
import { actuatorState } from './actuator-state.ts'
import { actdimOf, controlsOf, dynamicsFault } from './actuator-types.ts'
import { vectorOf } from './fields.ts'
import { isLimited, needsLimited } from './limited.ts'
import type { Report } from './report.ts'
import { compilerFor } from './settings.ts'

/** Controls and activations that the actuators add to the model; null if a plugin determines the activations. */
export interface ActuatorSizes {
  readonly nu: number
  readonly na: number | null
}

/** Checks actuators: their targets, and whether types and ranges fit together. */
export function checkActuators(spec: Spec, report: Report): ActuatorSizes {
  let nu = 0
  let na: number | null = 0
  for (const actuator of spec.of('actuator')) {
    const { state, fault } = actuatorState(actuator)
    if (fault !== null && actuator.model === spec.loaded) report.refused(actuator, 'shortcut', fault)
    checkActuator(spec, actuator, state, report)
    nu += controlsOf(state)
    const actdim = actuator.element.name === 'plugin' ? null : actdimOf(state)
    na = na === null || actdim === null ? null : na + actdim
  }
  return { nu, na }
}

const NO_TARGET = { attribute: '', category: 'joint' } as const

function checkActuator(spec: Spec, actuator: SpecObject, state: ActuatorState, report: Report): void {
  const [{ attribute, category } = NO_TARGET] = actuatorTargets(actuator.element) ?? []
  if (actuator.ref(attribute) === '') {
    const hint = 'Name one: joint, jointinparent, tendon, site, cranksite or body.'
    report.refused(actuator, 'transmission', 'drives nothing', hint)
    return
  }
  const target = report.target(actuator, attribute, category, actuator.ref(attribute))
  checkTransmission(actuator, attribute, state, report)
  const so3 = state.gaintype === 'so3' || state.biastype === 'so3'
  if (so3 && attribute === 'site' && actuator.ref('refsite') === '')
    report.refused(actuator, 'so3', 'needs a refsite beside its site')
  if (so3 && attribute === 'joint' && target !== undefined && (target as SpecJoint).type !== 'ball') {
    report.refused(actuator, 'so3', `drives the joint "${target.name}", and its so3 gains need a ball joint`)
  }
  const fault = dynamicsFault(state, attribute, actuator.element.name === 'plugin')
  if (fault !== null) report.refused(actuator, 'dynamics', fault)
  inheritRange({ actuator, attribute, target, state, report })
  checkRanges(actuator, state, compilerFor(spec, actuator).autolimits, report)
}

function checkTransmission(actuator: SpecObject, attribute: string, state: ActuatorState, report: Report): void {
  if (attribute === 'cranksite') {
    if (actuator.ref('slidersite') === '') report.refused(actuator, 'slidersite', 'has a cranksite but no slidersite')
    else report.target(actuator, 'slidersite', 'site', actuator.ref('slidersite'))
    if (state.cranklength <= 0) report.refused(actuator, 'cranklength', 'has a cranksite and no positive cranklength')
  }
  if (attribute === 'site') report.optional(actuator, 'refsite', 'site', actuator.ref('refsite'))
  const turns = attribute === 'joint' || attribute === 'jointinparent' || attribute === 'tendon'
  if (!turns && state.damping.some((value) => value !== 0))
    report.refused(actuator, 'damping', 'has damping, which needs a joint or tendon to act on')
  if (!turns && state.armature !== 0)
    report.refused(actuator, 'armature', 'has armature, which needs a joint or tendon to act on')
}

/** `inheritrange` takes the range of the target; it applies only to servos. */
function inheritRange({
  actuator,
  attribute,
  target,
  state,
  report,
}: {
  readonly actuator: SpecObject
  readonly attribute: string
  readonly target: SpecObject | undefined
  readonly state: ActuatorState
  readonly report: Report
}): void {
  const { gaintype, biastype, gainprm, biasprm, dyntype, inheritrange } = state
  const servo = gaintype === 'pid' || (gaintype === 'fixed' && gainprm[0] === -(biasprm[1] as number))
  if (inheritrange <= 0 || biastype !== 'affine' || !servo) return
  const field =
    dyntype === 'integrator' ? 'actrange' : ['none', 'filterexact', 'pid'].includes(dyntype) ? 'ctrlrange' : null
  if (field === null)
    report.refused(actuator, 'inheritrange', `has an inheritrange, which the dyntype ${dyntype} cannot have`)
  else if (attribute !== 'joint' && attribute !== 'tendon') {
    report.refused(actuator, 'inheritrange', 'has an inheritrange, which only a joint or tendon can give')
  } else if (target !== undefined) {
    const type = attribute === 'joint' ? (target as SpecJoint).type : 'hinge'
    const [from = 0, to = 0] = target.made ? [0, 1] : vectorOf(target, 'range', [0, 0])
    if (type !== 'hinge' && type !== 'slide') {
      report.refused(actuator, 'inheritrange', `has an inheritrange, and its target is a ${type} joint`)
    } else if (from === to) {
      report.refused(actuator, 'inheritrange', `has an inheritrange, and its target "${target.name}" has no range`)
    } else {
      const [mean, radius] = [(from + to) / 2, ((to - from) / 2) * inheritrange]
      state[field] = [mean - radius, mean + radius]
    }
  }
}

function checkRanges(actuator: SpecObject, state: ActuatorState, autolimits: boolean, report: Report): void {
  for (const kind of ['force', 'ctrl', 'act'] as const) {
    const range = state[`${kind}range`]
    const limited = state[`${kind}limited`]
    if (needsLimited(limited, range, autolimits)) {
      report.refused(actuator, `${kind}limited`, `has a ${kind}range but no ${kind}limited, and autolimits is off`)
    } else if (isLimited(limited, range) && range[0] >= range[1]) {
      report.refused(actuator, `${kind}range`, `has the ${kind}range ${range.join(' ')}, which is not ascending`)
    }
  }
  if (isLimited(state.actlimited, state.actrange) && state.dyntype === 'none') {
    report.refused(actuator, 'actlimited', 'has an actrange, and no activation to be limited (dyntype none)')
  }
  if (state.delay > 0 && state.nsample <= 0) report.refused(actuator, 'delay', 'has a delay and no history (nsample)')
}
