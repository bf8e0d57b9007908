import { FUSED_HINT, fusedAway, namesAfterFusing } from '../compose/fuse-static.ts'
import type { Target } from '../compose/node.ts'
import { sensorTargets } from '../compose/targets.ts'
import type { Spec, SpecJoint, SpecObject } from '../compose/types.ts'
import { numberOf, textOf, vectorOf } from './fields.ts'
import { isLimited } from './limited.ts'
import type { Report } from './report.ts'
import { shapeOf } from './shapes.ts'

/** Checks sensors: their targets, and the few numbers that MuJoCo checks. */
export function checkSensors(spec: Spec, report: Report): void {
  const sensors = spec.of('sensor')
  const left = sensors.length > 0 ? namesAfterFusing(spec) : null
  for (const sensor of sensors) {
    const [sensed, relative] = sensorTargets(sensor.element).map((target) => senses(sensor, target, left, report))
    if (sensed !== undefined) checkKind(sensor, sensed, relative, report)
    checkNumbers(sensor, report)
  }
}

/** `left`: names of the bodies that remain after `fusestatic`. */
function senses(
  sensor: SpecObject,
  { attribute, category, isFusible }: Target,
  left: ReadonlySet<string> | null,
  report: Report,
): SpecObject | undefined {
  const name = sensor.ref(attribute)
  if (name !== '') {
    const sensed = report.target(sensor, attribute, category, name)
    if (isFusible && sensed && left?.has(name) === false)
      report.refused(sensor, 'fused', `senses ${fusedAway(name)}`, FUSED_HINT)
    return sensed
  }
  report.refused(sensor, `name ${attribute}`, `names no ${category} in ${attribute}`)
  return undefined
}

function checkKind(sensor: SpecObject, sensed: SpecObject, relative: SpecObject | undefined, report: Report): void {
  const kind = sensor.element.name
  const label = `the ${sensed.category} "${sensed.name}"`
  const limit = TENDON_LIMIT.has(kind) && !hasLimit(sensed, null)
  if (sensed.category === 'joint') {
    const { type } = sensed as SpecJoint
    const scalar = type === 'hinge' || type === 'slide'
    if (SCALAR.has(kind) && !scalar)
      report.refused(sensor, 'joint', `senses the ${type} joint "${sensed.name}"; it can only sense hinges and slides`)
    if (BALL.has(kind) && type !== 'ball')
      report.refused(sensor, 'joint', `senses the ${type} joint "${sensed.name}"; it can only sense balls`)
  }
  if (limit || (JOINT_LIMIT.has(kind) && !hasLimit(sensed, (sensed as SpecJoint).type))) {
    report.refused(sensor, 'limit', `senses the limit of ${label}, which has none`)
  }
  if (kind === 'camprojection' && relative !== undefined && vectorOf(relative, 'resolution', [1, 1]).includes(0)) {
    report.refused(sensor, 'camera', `projects to the camera "${relative.name}", which has no resolution`)
  }
  if (!PAIRED.has(kind)) return
  if (relative === sensed) report.refused(sensor, 'pair', `measures between ${label} and itself`)
  if ([sensed, relative].some((object) => object?.category === 'geom' && isHeightField(object))) {
    report.refused(sensor, 'hfield', 'measures to a height field, which MuJoCo cannot')
  }
}

function isHeightField(geom: SpecObject): boolean {
  return !geom.made && shapeOf(geom, [0, 0, 0]).type === 'hfield'
}

const SCALAR = new Set(['jointpos', 'jointvel', 'jointactuatorfrc'])
const BALL = new Set(['ballquat', 'ballangvel'])
const JOINT_LIMIT = new Set(['jointlimitpos', 'jointlimitvel', 'jointlimitfrc'])
const TENDON_LIMIT = new Set(['tendonlimitpos', 'tendonlimitvel', 'tendonlimitfrc'])
const PAIRED = new Set(['distance', 'normal', 'fromto'])
/** Sensors of axes or quaternions, whose values cannot be clamped by a cutoff. */
const UNCUT = new Set(['framexaxis', 'frameyaxis', 'framezaxis', 'ballquat', 'framequat'])

function hasLimit(object: SpecObject, type: string | null): boolean {
  if (object.made) return true
  if (type === 'free') return false
  return isLimited(textOf(object, 'limited', 'auto'), vectorOf(object, 'range', [0, 0]) as [number, number])
}

function checkNumbers(sensor: SpecObject, report: Report): void {
  const cutoff = numberOf(sensor, 'cutoff', 0)
  const [period = 0, phase = 0] = vectorOf(sensor, 'interval', [0, 0])
  const nsample = numberOf(sensor, 'nsample', 0)
  if (numberOf(sensor, 'noise', 0) < 0) report.refused(sensor, 'noise', 'has a negative noise')
  if (cutoff < 0) report.refused(sensor, 'cutoff', 'has a negative cutoff')
  if (period < 0) report.refused(sensor, 'interval', 'has a negative interval')
  if (phase > 0) report.refused(sensor, 'phase', 'has an interval with a positive phase')
  if (period > 0 && phase <= -period) report.refused(sensor, 'phase', 'has a phase of a whole interval or more')
  if (numberOf(sensor, 'delay', 0) > 0 && nsample <= 0)
    report.refused(sensor, 'delay', 'has a delay and no history (nsample)')
  if (nsample > 2 ** 24) report.refused(sensor, 'nsample', `has nsample ${nsample}, and 16777216 is the most`)
  const kind = sensor.element.name
  const datatype = textOf(sensor, 'datatype', 'real')
  const vector = kind === 'user' && (datatype === 'axis' || datatype === 'quaternion')
  if (cutoff > 0 && (UNCUT.has(kind) || vector))
    report.refused(sensor, 'cutoff', 'has a cutoff, which an axis or quaternion cannot have')
  if (kind === 'user') checkUser(sensor, datatype, report)
}

function checkUser(sensor: SpecObject, datatype: string, report: Report): void {
  const dim = numberOf(sensor, 'dim', 0)
  if (dim < 0) report.refused(sensor, 'dim', 'has a negative dim')
  const needed = datatype === 'axis' ? 3 : datatype === 'quaternion' ? 4 : dim
  if (dim !== needed) report.refused(sensor, 'dim', `is of datatype ${datatype} with dim ${dim}; it needs ${needed}`)
}
