import type { Spec, SpecBody } from '../compose/types.ts'
import { ORIENTATION_HINT, orientationFault } from './orientation.ts'
import type { Report } from './report.ts'
import { compilerFor } from './settings.ts'

/** Checks bodies and frames: their rotations, and sleep policies. */
export function checkBodies(spec: Spec, report: Report): void {
  for (const body of spec.bodies) {
    if (body === spec.world || body.made) continue
    const fault = orientationFault(body, compilerFor(spec, body).eulerseq)
    if (fault !== null) report.refused(body, 'orientation', fault, ORIENTATION_HINT)
    const sleep = body.attr('sleep') ?? 'auto'
    if (sleep !== 'auto' && !isTreeRoot(body)) {
      report.refused(body, 'sleep', 'has a sleep policy, which only the topmost moving body of a tree can have')
    }
  }
  for (const frame of spec.of('frame')) {
    const fault = frame.made ? null : orientationFault(frame, compilerFor(spec, frame).eulerseq)
    if (fault !== null) report.refused(frame, 'orientation', fault, ORIENTATION_HINT)
  }
}

function isTreeRoot(body: SpecBody): boolean {
  if (body.joints.length === 0) return false
  for (let above = body.body; above !== null; above = above.body) if (above.joints.length > 0) return false
  return true
}
