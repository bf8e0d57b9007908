/**
 * What the cameras of a model see: its shapes under its own light, without the studio, the layers and the theme of the
 * page around it. In metres, into pictures of the size that is asked for.
 */
import {
  AmbientLight,
  Color,
  DirectionalLight,
  type Group,
  type Light,
  PerspectiveCamera,
  PointLight,
  Scene,
  SpotLight,
  Vector3,
  type WebGLRenderer,
  WebGLRenderTarget,
} from 'three'
import { disposeOf } from './dispose-of.ts'
import { plain } from './finish.ts'
import { cubeOf } from './pictures.ts'
import { placeBodies, robotGroup, type Surfaces } from './robot-group.ts'
import type { Frame, Lamp, LitScene, Vector } from './scene.ts'
import { skyOf } from './sky.ts'
import { upright } from './upright.ts'

/** One picture: where its camera is, its field of view in degrees from bottom to top, and its size in pixels. */
export interface Sight extends Frame {
  readonly fieldOfView: number
  readonly width: number
  readonly height: number
}

export interface Sights {
  /**
   * Draws each and answers red, green, blue and opacity of each pixel, row by row from the top. `frames`: of each body,
   * as `LiveView.pose` has them. What pictures of other sizes took on the card is freed. Throws where the graphics card
   * has taken back what it draws with.
   */
  see(frames: ArrayLike<number>, sights: readonly Sight[]): Uint8Array<ArrayBuffer>[]
  dispose(): void
}

/** Of each pixel, as MuJoCo takes by default. */
const SAMPLES = 4

/** A surface of three.js gives back this part of the light that meets it. */
const FULL = Math.PI

/** Nothing is drawn at once. `surfaces`: of a group that draws the same scene. */
export function sightsOf(scene: LitScene, surfaces: Surfaces, renderer: WebGLRenderer): Sights {
  const targets = new Map<string, WebGLRenderTarget>()
  let built: ReturnType<typeof placeOf> | null = null
  const targetOf = (width: number, height: number) => {
    const key = sizeOf(width, height)
    const target = targets.get(key) ?? new WebGLRenderTarget(width, height, { samples: SAMPLES })
    targets.set(key, target)
    return target
  }
  /** Of sizes that another policy saw. */
  const freeOthers = (sights: readonly Sight[]) => {
    const wanted = new Set(sights.map(({ width, height }) => sizeOf(width, height)))
    for (const [size, target] of targets)
      if (!wanted.has(size)) {
        target.dispose()
        targets.delete(size)
      }
  }
  return {
    see(frames, sights) {
      if (renderer.getContext().isContextLost())
        throw new Error('The graphics card has stopped drawing for this page. Reload it.')
      built ??= placeOf(scene, surfaces)
      const place = built
      freeOthers(sights)
      placeBodies(place.robot, frames)
      try {
        return sights.map((sight) => drawn(renderer, place, sight, targetOf))
      } finally {
        renderer.setRenderTarget(null)
      }
    },
    dispose() {
      for (const target of targets.values()) target.dispose()
      if (built) disposeOf(built.scene)
    },
  }
}

const sizeOf = (width: number, height: number) => `${width}x${height}`

function drawn(
  renderer: WebGLRenderer,
  { scene, camera, headlight, sky }: ReturnType<typeof placeOf>,
  { position, quaternion, fieldOfView, width, height }: Sight,
  targetOf: (width: number, height: number) => WebGLRenderTarget,
): Uint8Array<ArrayBuffer> {
  camera.position.set(...position)
  camera.quaternion.set(...quaternion)
  camera.fov = fieldOfView
  camera.aspect = width / height
  camera.updateProjectionMatrix()
  camera.updateMatrixWorld()
  sky?.position.copy(camera.position)
  headlight.position.copy(camera.position)
  headlight.target.position.copy(camera.position).add(camera.getWorldDirection(new Vector3()))
  const target = targetOf(width, height)
  renderer.setRenderTarget(target)
  renderer.render(scene, camera)
  const pixels = new Uint8Array(4 * width * height)
  renderer.readRenderTargetPixels(target, 0, 0, width, height, pixels)
  return upright(pixels, width, height)
}

function placeOf(model: LitScene, surfaces: Surfaces) {
  const { ambient, headlight, lamps, backdrop, near, far } = model.lighting
  const sky = skyIn(model)
  const scene = new Scene()
  const robot = robotGroup(model, model.geoms, plain, surfaces)
  const front = new DirectionalLight(colorOf(headlight), FULL)
  scene.background = colorOf(backdrop)
  scene.add(robot.root, new AmbientLight(colorOf(ambient), FULL), front, front.target)
  if (sky) scene.add(sky)
  for (const lamp of lamps) hang(robot.bodies[lamp.body] ?? robot.root, lamp)
  const camera = new PerspectiveCamera()
  camera.near = near
  camera.far = far
  return { scene, robot, camera, headlight: front, sky }
}

function skyIn({ textures, lighting }: LitScene) {
  const texture = lighting.sky === null ? undefined : textures[lighting.sky]
  return texture && plain.pictures ? skyOf(cubeOf(texture, plain.pictures)) : null
}

/** The numbers of a color as they are, without a curve. */
const colorOf = (color: Vector) => new Color().setRGB(...color)

/** A lamp moves with its body. */
function hang(body: Group, { kind, position, direction, color, cutoff }: Lamp): void {
  const light = lightOf(kind, colorOf(color), cutoff)
  light.position.set(...position)
  body.add(light)
  if (!('target' in light)) return
  const { target } = light as SpotLight
  target.position.set(...position).add(new Vector3(...direction))
  body.add(target)
}

/** None of them is weaker far away. */
function lightOf(kind: Lamp['kind'], color: Color, cutoff: number): Light {
  if (kind === 'directional') return new DirectionalLight(color, FULL)
  if (kind === 'point') return new PointLight(color, FULL, 0, 0)
  return new SpotLight(color, FULL, 0, (Math.min(cutoff, 90) * Math.PI) / 180, 1, 0)
}
