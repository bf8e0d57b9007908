/** The camera that a person turns around the robot, and that follows it. */
import { type PerspectiveCamera, Vector3 } from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'

/** Distances of a camera to what it sees; the robot has a size of 1. */
const NEAR = 0.005
const FAR = 60

/** Just below straight up, where a view has no side. */
const MAX_ELEVATION = 1.55

/** x, y, z of the camera, then of what it turns around, in sizes of the robot, from where the robot began. */
export type Viewpoint = readonly [number, number, number, number, number, number]

export interface OrbitView {
  /** What the camera turns around. */
  readonly target: Vector3
  /** Whether a person can turn it now. */
  enable(isEnabled: boolean): void
  /** Turns by angles in radians, and scales the distance. */
  turn(around: number, up: number, distance: number): void
  /** Moves camera and target. */
  move(x: number, y: number, z: number): void
  /** Where the camera is, as if the robot had not moved. */
  viewpoint(): Viewpoint
  /** Puts the camera there. */
  viewFrom(viewpoint: Viewpoint): void
  /** Back to the first view, from where the robot has moved to. */
  reset(): void
  dispose(): void
}

/** Turns `camera` around `target`; `onChange` whenever a person moves it. */
export function orbitView(options: {
  readonly camera: PerspectiveCamera
  readonly canvas: HTMLCanvasElement
  readonly target: readonly [number, number, number]
  readonly onChange: () => void
}): OrbitView {
  const { camera, canvas, target, onChange } = options
  camera.near = NEAR
  camera.far = FAR
  const controls = new OrbitControls(camera, canvas)
  controls.minDistance = 0.05
  controls.maxDistance = 12
  controls.target.set(...target)
  controls.update()
  controls.saveState()
  controls.addEventListener('change', onChange)
  /** How far the view has followed the robot. */
  const followed = new Vector3()

  return {
    target: controls.target,
    enable(isEnabled) {
      controls.enabled = isEnabled
    },
    turn(around, up, distance) {
      const offset = new Vector3().subVectors(camera.position, controls.target)
      const flat = Math.hypot(offset.x, offset.y)
      const [azimuth, elevation] = [Math.atan2(offset.y, offset.x) + around, Math.atan2(offset.z, flat) + up]
      const height = Math.min(MAX_ELEVATION, Math.max(-MAX_ELEVATION, elevation))
      const reach = offset.length() * distance
      offset.set(Math.cos(height) * Math.cos(azimuth), Math.cos(height) * Math.sin(azimuth), Math.sin(height))
      camera.position.copy(controls.target).addScaledVector(offset, reach)
      controls.update()
    },
    move(x, y, z) {
      const by = new Vector3(x, y, z)
      camera.position.add(by)
      controls.target.add(by)
      followed.add(by)
      controls.update()
    },
    viewpoint() {
      const [from, to] = [camera.position.clone().sub(followed), controls.target.clone().sub(followed)]
      return [from.x, from.y, from.z, to.x, to.y, to.z]
    },
    viewFrom([x, y, z, ...to]) {
      camera.position.set(x, y, z).add(followed)
      controls.target.set(...to).add(followed)
      controls.update()
    },
    reset() {
      controls.reset()
      camera.position.add(followed)
      controls.target.add(followed)
      controls.update()
    },
    dispose: () => controls.dispose(),
  }
}
