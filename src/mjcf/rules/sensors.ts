import type { Spec, SpecJoint, SpecObject } from '../spec/types.ts'
import { given, numberOf, textOf, vectorOf } from './fields.ts'
import { isLimited } from './limited.ts'
import type { Report } from './report.ts'
import { type Subject, sensorSubjects } from './sensor-subjects.ts'
import { isWritten } from './settings.ts'
import { shapeOf } from './shapes.ts'

/** Sensors: what they sense, and the few numbers that MuJoCo looks at. */
export function checkSensors(spec: Spec, report: Report): void {
  for (const sensor of spec.of('sensor')) {
    const { object, reference } = sensorSubjects(sensor)
    const sensed = resolve(sensor, object, report)
    const relative = resolve(sensor, reference, report)
    checkKind(sensor, object, sensed, reference, relative, report)
    checkNumbers(sensor, report)
  }
}

function resolve(sensor: SpecObject, subject: Subject | null, report: Report): SpecObject | undefined {
  if (subject === null) return undefined
  const name = sensor.ref(subject.attribute)
  if (subject.category === null) {
    report.refused(sensor, `type ${subject.attribute}`, `names "${name}" of an object type that cannot be sensed`)
    return undefined
  }
  if (name === '') report.refused(sensor, `name ${subject.attribute}`, `has an empty ${subject.attribute}`)
  return report.target(sensor, subject.attribute, subject.category, name)
}

function checkKind(
  sensor: SpecObject,
  object: Subject | null,
  sensed: SpecObject | undefined,
  reference: Subject | null,
  relative: SpecObject | undefined,
  report: Report,
): void {
  if (sensed === undefined) return
  const kind = sensor.element.name
  const label = `the ${sensed.category} "${sensed.name}"`
  if (SCALAR.has(kind) || BALL.has(kind) || JOINT_LIMIT.has(kind)) {
    const { type } = sensed as SpecJoint
    if (SCALAR.has(kind) && type !== 'hinge' && type !== 'slide')
      report.refused(sensor, 'joint', `senses ${label}, a ${type}; it can hinges and slides`)
    if (BALL.has(kind) && type !== 'ball') report.refused(sensor, 'joint', `senses ${label}, a ${type}; it can balls`)
    if (JOINT_LIMIT.has(kind) && !hasLimit(sensed, type))
      report.refused(sensor, 'limit', `senses the limit of ${label}, which has none`)
  }
  if (TENDON_LIMIT.has(kind) && !hasLimit(sensed, null))
    report.refused(sensor, 'limit', `senses the limit of ${label}, which has none`)
  if (kind === 'camprojection' && relative !== undefined && vectorOf(relative, 'resolution', [1, 1]).includes(0)) {
    report.refused(sensor, 'camera', `projects to the camera "${relative.name}", which has no resolution`)
  }
  if (!PAIRED.has(kind)) return
  if (relative === sensed) report.refused(sensor, 'pair', `measures between ${label} and itself`)
  const heights = [object?.category === 'geom' ? sensed : null, reference?.category === 'geom' ? relative : null]
  if (heights.some((geom) => geom && isWritten(geom) && shapeOf(geom, [0, 0, 0]).type === 'hfield')) {
    report.refused(sensor, 'hfield', 'measures the distance to a height field, which it cannot')
  }
}

const SCALAR = new Set(['jointpos', 'jointvel', 'jointactuatorfrc'])
const BALL = new Set(['ballquat', 'ballangvel'])
const JOINT_LIMIT = new Set(['jointlimitpos', 'jointlimitvel', 'jointlimitfrc'])
const TENDON_LIMIT = new Set(['tendonlimitpos', 'tendonlimitvel', 'tendonlimitfrc'])
const PAIRED = new Set(['distance', 'normal', 'fromto'])
/** Their values are axes or quaternions, which no cutoff clamps. */
const UNCUT = new Set(['framexaxis', 'frameyaxis', 'framezaxis', 'ballquat', 'framequat'])

function hasLimit(object: SpecObject, type: string | null): boolean {
  if (!isWritten(object)) return true
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
  if (kind === 'contact' && given(sensor, 'num') && numberOf(sensor, 'num', 1) <= 0)
    report.refused(sensor, 'num', 'has a num that is not positive')
  const datatype = textOf(sensor, 'datatype', 'real')
  const vector = kind === 'user' && (datatype === 'axis' || datatype === 'quaternion')
  if (cutoff > 0 && (UNCUT.has(kind) || vector))
    report.refused(sensor, 'cutoff', 'has a cutoff, which an axis or quaternion cannot have')
  if (kind === 'user') checkUser(sensor, datatype, report)
  checkOrder(sensor, report)
}

function checkUser(sensor: SpecObject, datatype: string, report: Report): void {
  const dim = numberOf(sensor, 'dim', 0)
  if (dim < 0) report.refused(sensor, 'dim', 'has a negative dim')
  const needed = datatype === 'axis' ? 3 : datatype === 'quaternion' ? 4 : dim
  if (dim !== needed) report.refused(sensor, 'dim', `is of datatype ${datatype} with dim ${dim}; it needs ${needed}`)
}

const DATA: Readonly<Record<string, readonly string[]>> = {
  contact: ['found', 'force', 'torque', 'dist', 'pos', 'normal', 'tangent'],
  rangefinder: ['dist', 'dir', 'origin', 'point', 'normal', 'depth'],
}

function checkOrder({ element, ...sensor }: SpecObject, report: Report): void {
  const order = DATA[element.name]
  const words = element.attributes.get('data')?.split(/\s+/).filter(Boolean)
  if (order === undefined || words === undefined) return
  const ranks = words.map((word) => order.indexOf(word)).filter((rank) => rank >= 0)
  if (ranks.some((rank, i) => i > 0 && rank <= (ranks[i - 1] as number))) {
    report.refused({ element, ...sensor }, 'data', `lists its data out of order; the order is ${order.join(', ')}`)
  }
}
