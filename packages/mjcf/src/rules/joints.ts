import { VELOCITIES } from '../compose/joint-sizes.ts'
import type { Spec, SpecBody, SpecJoint } from '../compose/types.ts'
import { isZero, textOf, vectorOf } from './fields.ts'
import { isLimited, needsLimited } from './limited.ts'
import type { Report } from './report.ts'
import { compilerFor } from './settings.ts'

/** Checks each joint, and which joints a body may combine. */
export function checkJoints(spec: Spec, report: Report): void {
  for (const joint of spec.joints) {
    if (!joint.made && joint.element.name === 'joint') checkJoint(spec, joint, report)
    // The flexcomp sets the axis of its joints; all other attributes come from the default class.
    if (joint.made && joint.element.name === 'flexcomp') checkLimits(spec, joint, report)
  }
  for (const body of spec.bodies) checkBody(spec, body, report)
}

function checkJoint(spec: Spec, joint: SpecJoint, report: Report): void {
  checkLimits(spec, joint, report)
  const driven = joint.type === 'hinge' || joint.type === 'slide'
  if (driven && isZero(vectorOf(joint, 'axis', [0, 0, 1]))) report.refused(joint, 'axis', 'has an axis without length')
}

/** All attributes except the axis. */
function checkLimits(spec: Spec, joint: SpecJoint, report: Report): void {
  const { autolimits } = compilerFor(spec, joint)
  const [time, ratio] = vectorOf(joint, 'springdamper', [0, 0]) as [number, number]
  if ((time !== 0 || ratio !== 0) && (time <= 0 || ratio <= 0)) {
    report.refused(joint, 'springdamper', `has the springdamper ${time} ${ratio}; both must be positive`)
  }
  if (joint.type === 'free') return
  checkRange(joint, autolimits, report)
  if (joint.type === 'ball') return
  const frcrange = vectorOf(joint, 'actuatorfrcrange', [0, 0]) as [number, number]
  const frclimited = textOf(joint, 'actuatorfrclimited', 'auto')
  if (needsLimited(frclimited, frcrange, autolimits)) {
    report.refused(
      joint,
      'actuatorfrclimited',
      'has an actuatorfrcrange but no actuatorfrclimited, and autolimits is off',
    )
  } else if (isLimited(frclimited, frcrange) && frcrange[0] >= frcrange[1]) {
    report.refused(joint, 'actuatorfrcrange', `has the actuatorfrcrange ${frcrange.join(' ')}, which is not ascending`)
  }
}

function checkRange(joint: SpecJoint, autolimits: boolean, report: Report): void {
  const range = vectorOf(joint, 'range', [0, 0]) as [number, number]
  const limited = textOf(joint, 'limited', 'auto')
  if (needsLimited(limited, range, autolimits)) {
    report.refused(joint, 'limited', 'has a range but no limited, and autolimits is off')
    return
  }
  if (!isLimited(limited, range)) return
  if (joint.type === 'ball') {
    if (range[0] !== 0)
      report.refused(joint, 'range', `is a ball with the range ${range.join(' ')}, which must begin with 0`)
  } else if (range[0] >= range[1]) {
    report.refused(joint, 'range', `has the range ${range.join(' ')}, which is not ascending`)
  }
}

function checkBody(spec: Spec, body: SpecBody, report: Report): void {
  const dofs = body.joints.reduce((sum, { type }) => sum + VELOCITIES[type], 0)
  const free = body.joints.some(({ type }) => type === 'free')
  // A free joint next to another joint is a separate fault, whatever the sum.
  if (dofs > 6 && !free) report.refused(body, 'dofs', `has ${dofs} degrees of freedom, more than 6`)
  const ball = body.joints.findIndex(({ type }) => type === 'ball')
  const after = body.joints.slice(ball + 1)
  if (ball >= 0 && after.some(({ type }) => type === 'ball' || type === 'hinge')) {
    report.refused(body, 'ball', 'has a ball joint followed by another rotation')
  }
  if (body.mocap && (dofs > 0 || body.body !== spec.world)) {
    report.refused(body, 'mocap', 'is a mocap body, which must be a child of world without joints')
  }
}
