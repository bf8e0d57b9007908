import type { Spec, SpecObject } from '../compose/types.ts'
import { isZero, numberOf, vectorOf } from './fields.ts'
import { ORIENTATION_HINT, orientationFault } from './orientation.ts'
import type { Report } from './report.ts'
import { compilerFor } from './settings.ts'
import { checkLasting } from './visuals.ts'

/** Checks cameras and lights: their targets, and the few numbers that MuJoCo checks. */
export function checkCamerasAndLights(spec: Spec, report: Report): void {
  for (const camera of spec.of('camera')) if (!camera.made) checkCamera(spec, camera, report)
  for (const light of spec.of('light')) if (!light.made) checkLight(spec, light, report)
}

function checkCamera(spec: Spec, camera: SpecObject, report: Report): void {
  report.optional(camera, 'target', 'body', camera.ref('target'))
  const fault = orientationFault(camera, compilerFor(spec, camera).eulerseq)
  if (fault !== null) report.refused(camera, 'orientation', fault, ORIENTATION_HINT)
  const fovy = numberOf(camera, 'fovy', 45)
  if (fovy >= 180) report.refused(camera, 'fovy', `has a fovy of ${fovy}, which must be below 180`)
  const sensor = vectorOf(camera, 'sensorsize', [0, 0])
  const intrinsics = ['focal', 'focalpixel', 'principal', 'principalpixel']
  const intrinsic = intrinsics.find((name) => vectorOf(camera, name, [0, 0]).some((value) => value !== 0))
  const sized = sensor.every((value) => value > 0)
  if (intrinsic !== undefined && !sized) report.refused(camera, 'sensorsize', `has ${intrinsic} but no sensorsize`)
  if (sized && vectorOf(camera, 'resolution', [1, 1]).some((value) => value <= 0)) {
    report.refused(camera, 'resolution', 'has a sensorsize, which needs a positive resolution')
  }
}

function checkLight(spec: Spec, light: SpecObject, report: Report): void {
  report.optional(light, 'target', 'body', light.ref('target'))
  checkLasting(spec, light, 'texture', report)
  if (isZero(vectorOf(light, 'dir', [0, 0, -1]))) report.refused(light, 'dir', 'has a dir without length')
  const softness = numberOf(light, 'softness', 0.2)
  if (softness < 0 || softness > 1)
    report.refused(light, 'softness', `has the softness ${softness}, which must be in 0 to 1`)
}
