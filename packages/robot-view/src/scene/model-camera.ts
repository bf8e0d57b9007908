/** A camera of the model, in the studio: both look along their -z axis with y up. */
import { type Group, PerspectiveCamera, Vector3 } from 'three'
import type { Frame } from './scene.ts'

/**
 * How a camera of the model sees: its field of view in degrees from bottom to top, and width by height of its picture
 * where that is known.
 */
export interface Eye extends Frame {
  readonly fieldOfView: number
  readonly aspect: number | null
}

/** `root`: the robot, whose metres the studio scales. */
export function modelCamera(root: Group) {
  const camera = new PerspectiveCamera()
  camera.near = 0.001
  camera.far = 60
  return {
    camera,
    /** The camera placed at an eye; `aspect` is that of the picture. */
    at({ position, quaternion, fieldOfView }: Eye, aspect: number): PerspectiveCamera {
      camera.position.copy(root.localToWorld(new Vector3(...position)))
      camera.quaternion.set(...quaternion)
      camera.fov = fieldOfView
      camera.aspect = aspect
      camera.updateProjectionMatrix()
      camera.updateMatrixWorld()
      return camera
    },
  }
}
