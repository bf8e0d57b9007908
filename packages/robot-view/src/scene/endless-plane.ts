/**
 * A plane that has no end, as a large one around whatever sees it: it follows each camera by whole pictures, so that
 * what lies on it stays where it is.
 */
import { type Camera, Matrix4, type Mesh, Vector3 } from 'three'
import { pictureFit } from './picture-places.ts'
import type { SceneGeom } from './scene.ts'

/** As far as it reaches at least to each side of a camera, in m. */
const REACH = 50

/** Metres after which a flat picture begins again, along x and y of the plane. */
const periodOf = (geom: SceneGeom): readonly [number, number] => {
  const [across, down] = pictureFit(geom, null).scale
  return [2 / across, 2 / down]
}

/** Half the sides in m: those that it has, or as far as it reaches from the place of its picture next to a camera. */
export function planeHalves(geom: SceneGeom): readonly [number, number] {
  const [a, b] = geom.size
  const [across, down] = periodOf(geom)
  return [a > 0 ? a : REACH + across / 2, b > 0 ? b : REACH + down / 2]
}

/** `mesh`: the plane of `geom`. One with an end, and any other shape, stays where it is. */
export function followCameras(mesh: Mesh, geom: SceneGeom): void {
  const [a, b] = geom.size
  if (geom.shape !== 'plane' || (a > 0 && b > 0)) return
  const [across, down] = periodOf(geom)
  const [toPlane, place, shift] = [new Matrix4(), new Vector3(), new Matrix4()]
  const whole = (length: number, at: number, period: number) => (length > 0 ? 0 : period * Math.round(at / period))
  mesh.frustumCulled = false
  // three.js reads the matrix after this, and computes it again for the next frame.
  mesh.onBeforeRender = (_renderer, _scene, camera: Camera) => {
    place.setFromMatrixPosition(camera.matrixWorld).applyMatrix4(toPlane.copy(mesh.matrixWorld).invert())
    mesh.matrixWorld.multiply(shift.makeTranslation(whole(a, place.x, across), whole(b, place.y, down), 0))
  }
}
