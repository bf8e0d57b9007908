/**
 * The place in which a robot is photographed: camera, lamps, ground and background. The robot is scaled to a size of 1,
 * so that none of them depends on it.
 */
import {
  Color,
  DataTexture,
  DirectionalLight,
  LinearFilter,
  Mesh,
  PerspectiveCamera,
  PlaneGeometry,
  RGBAFormat,
  Scene,
  ShadowMaterial,
  SRGBColorSpace,
  type Texture,
} from 'three'
import { dull, glossy, skylight } from './finish.ts'
import { diagonal } from './frames.ts'
import { framed } from './framing.ts'
import { type DrawnGroup, robotGroup } from './robot-group.ts'
import type { RobotScene, SceneGeom, Vector } from './scene.ts'
import { eachPoint, subjectOf } from './subject.ts'
import type { Theme } from './theme.ts'

export interface Studio {
  readonly scene: Scene
  readonly camera: PerspectiveCamera
  /** The middle of the picture, which the camera looks at. */
  readonly target: Vector
  /** The robot in its metres, scaled and moved into the studio. */
  readonly robot: DrawnGroup
  readonly floor: Mesh
  /** Changes lamps and background. */
  light(theme: Theme): void
  /** Moves lamps and floor, to continue with a robot that moves. */
  move(x: number, y: number): void
  /** Casts the shadows again with the next picture: the robot has moved. */
  castShadows(): void
}

const FIELD_OF_VIEW = 28
const MARGIN = 0.09

/** Three-quarter view from the front, which is +x of most robots, and a little above. */
const DIRECTION: Vector = [1, -0.8, 0.55]

/** Lamps are as far away as this many robots. */
const LAMP: Vector = [1.2, -0.5, 2.2]
const RIM: Vector = [-1.6, 1.4, 1.1]

/**
 * `surroundings`: what glossy surfaces reflect; without it surfaces are dull. `beside`: of the scene, what is drawn
 * with its subject though the camera is not framed on it.
 */
export function studio(
  robot: RobotScene,
  surroundings: Texture | null,
  aspect: number,
  beside: (geom: SceneGeom) => boolean = () => false,
): Studio {
  const subject = subjectOf(robot)
  const shown = new Set(subject.geoms)
  const others = robot.geoms.filter((geom) => !shown.has(geom) && beside(geom))
  const group = robotGroup(robot, [...subject.geoms, ...others], surroundings ? glossy : dull)
  const { root } = group
  const size = diagonal(subject.box) || 1
  const { min, max } = subject.box
  const middle: Vector = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2, (min[2] + max[2]) / 2]
  const inStudio = (point: Vector): Vector => [
    (point[0] - middle[0]) / size,
    (point[1] - middle[1]) / size,
    (point[2] - middle[2]) / size,
  ]
  root.scale.setScalar(1 / size)
  root.position.set(...inStudio([0, 0, 0]))
  const scene = new Scene()
  scene.environment = surroundings
  if (!surroundings) scene.add(skylight())
  const [lamp, rim] = [lampAt(LAMP), lampAt(RIM)]
  withShadow(lamp)
  const floor = new Mesh(new PlaneGeometry(FLOOR, FLOOR), new ShadowMaterial())
  floor.receiveShadow = true
  // A hair below the feet, which would flicker through it.
  floor.position.z = inStudio([0, 0, subject.floor])[2] - 0.001
  scene.add(root, lamp, rim, floor)
  const lens = { fieldOfView: (FIELD_OF_VIEW * Math.PI) / 180, aspect, direction: DIRECTION, margin: MARGIN }
  const camera = new PerspectiveCamera(FIELD_OF_VIEW, aspect)
  const view = framed((each) => eachPoint(robot, subject.geoms, (point) => each(inStudio(point))), lens)
  camera.up.set(0, 0, 1)
  camera.position.set(...view.position)
  camera.lookAt(...view.target)
  camera.near = view.near
  camera.far = view.far
  camera.updateProjectionMatrix()
  return {
    scene,
    camera,
    target: view.target,
    robot: group,
    floor,
    move(x, y) {
      for (const one of [lamp, lamp.target, rim, rim.target, floor]) {
        one.position.x += x
        one.position.y += y
        one.updateMatrixWorld()
      }
    },
    castShadows() {
      lamp.shadow.needsUpdate = true
    },
    light(theme) {
      if (scene.background instanceof DataTexture) scene.background.dispose()
      scene.background = gradient(theme)
      scene.environmentIntensity = theme.surroundings
      lamp.intensity = theme.lamp
      rim.intensity = theme.rim
      floor.material.opacity = theme.shadow
    },
  }
}

function lampAt(place: Vector): DirectionalLight {
  const lamp = new DirectionalLight(0xffffff)
  lamp.position.set(...place)
  return lamp
}

function withShadow(lamp: DirectionalLight): void {
  lamp.castShadow = true
  lamp.shadow.mapSize.set(1024, 1024)
  lamp.shadow.radius = 3
  // Both pictures have the same shadows.
  lamp.shadow.autoUpdate = false
  lamp.shadow.needsUpdate = true
  lamp.shadow.bias = -0.0005
  lamp.shadow.normalBias = 0.004
  const { camera } = lamp.shadow
  camera.left = camera.bottom = -0.8
  camera.right = camera.top = 0.8
  camera.near = 0.5
  camera.far = 6
}

/** As far as shadows reach. */
const FLOOR = 4

const STEPS = 256

/** Two colours, the first at the top. */
function gradient({ sky, ground }: Theme): DataTexture {
  const [top, bottom] = [new Color(sky), new Color(ground)]
  const pixels = new Uint8Array(4 * STEPS)
  for (let step = 0; step < STEPS; step += 1) {
    const color = new Color().lerpColors(bottom, top, step / (STEPS - 1)).convertLinearToSRGB()
    pixels.set([255 * color.r, 255 * color.g, 255 * color.b, 255], 4 * step)
  }
  const texture = new DataTexture(pixels, 1, STEPS, RGBAFormat)
  texture.colorSpace = SRGBColorSpace
  texture.magFilter = LinearFilter
  texture.needsUpdate = true
  return texture
}
