/** A robot on a canvas that a person turns: the studio of the stills, with a camera that moves and a robot that is posed anew. */
import {
  BasicShadowMap,
  GridHelper,
  type Group,
  NeutralToneMapping,
  PCFShadowMap,
  PMREMGenerator,
  Vector3,
  WebGLRenderer,
  type WebGLRenderTarget,
} from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js'
import { collisionLayer } from './collision-layer.ts'
import { disposeOf } from './dispose-of.ts'
import { coat } from './finish.ts'
import { fieldOfViewAt, fitted } from './fit.ts'
import { follower } from './follow.ts'
import type { Graphics } from './graphics.ts'
import { type Eye, modelCamera } from './model-camera.ts'
import { contactLayer, frameLayer, inertiaLayer } from './overlays.ts'
import { bodyUnder, outline } from './pointed-body.ts'
import type { RobotGroup } from './robot-group.ts'
import type { LayeredScene } from './scene.ts'
import { studio } from './studio.ts'
import { type ThemeName, themes } from './theme.ts'

/** What can be shown: shapes that are seen, shapes that collide, the frame of each body, the boxes of their inertia, and where they touch. */
export const layerNames = ['visual', 'collision', 'frames', 'inertia', 'contacts'] as const
export type Layer = (typeof layerNames)[number]

export interface LiveView {
  /** Draws one picture. The caller decides when. */
  draw(): void
  /** Seven numbers of each body in the frame of the world: position, then w, x, y, z of its quaternion, as MuJoCo has them; six of each contact, its place and normal. */
  pose(frames: ArrayLike<number>, contacts: ArrayLike<number>): void
  /** Sizes in CSS pixels. */
  resize(width: number, height: number, pixelRatio: number): void
  show(layer: Layer, isShown: boolean): void
  /** Fewer pixels and rarer shadows, for a machine that draws too slowly. */
  simplify(isSimple: boolean): void
  light(theme: ThemeName): void
  /** Through a camera of the model, or from where the person has turned the view. */
  look(eye: Eye | null): void
  /** Turns the view around the robot by angles in radians, and scales its distance. */
  turn(around: number, up: number, distance: number): void
  resetView(): void
  /** The body at a place of the canvas, from -1 to 1 to the right and up; null for none. */
  bodyAt(x: number, y: number): number | null
  /** Draws a box around a body. */
  outline(body: number | null): void
  /** Frees everything that the graphics card holds. */
  dispose(): void
}

/** Distances of a camera to what it sees; the robot has a size of 1. */
const NEAR = 0.005
const FAR = 60

/** Pixels of the picture for each of the page, where drawing is too slow. */
const SIMPLE_SHARPNESS = 0.6

/** Between shadows there. Without any, every shader would be compiled again, which takes such a machine seconds. */
const SIMPLE_SHADOW_MS = 300

/** Width by height of the picture that the first view is framed for. */
const FRAMED = 4 / 3

/** Of the floor's grid: half a size of the robot to each line. */
const GRID = { size: 6, divisions: 12 } as const

/** `followed`: the body that the view stays beside. `boxes`: of the inertia of each body. `onChange`: something has changed that a picture would show. Throws where the browser has no WebGL. */
export function liveView(
  canvas: HTMLCanvasElement,
  scene: LayeredScene,
  theme: ThemeName,
  graphics: Graphics,
  followed: number | null,
  boxes: Parameters<typeof inertiaLayer>[1],
  onChange: () => void,
): LiveView {
  const isGlossy = graphics === 'glossy'
  const renderer = new WebGLRenderer({ canvas, antialias: isGlossy })
  renderer.shadowMap.enabled = true
  renderer.shadowMap.type = isGlossy ? PCFShadowMap : BasicShadowMap
  renderer.toneMapping = NeutralToneMapping
  const surroundings = isGlossy ? reflectedRoom(renderer) : null
  // Endless planes are what the floor stands for.
  const place = studio(
    scene,
    surroundings?.texture ?? null,
    FRAMED,
    ({ shape, size }) => shape !== 'plane' || size[0] * size[1] > 0,
  )
  const { root } = place.robot
  const collision = collisionLayer(scene, root, coat(isGlossy))
  const contacts = contactLayer(place.robot)
  const [frames, inertia] = [frameLayer(place.robot), inertiaLayer(place.robot, boxes)]
  const solid: readonly RobotGroup[] = [place.robot, collision]
  const posed: readonly RobotGroup[] = [...solid, frames, inertia]
  const layers: Readonly<Record<Layer, Group>> = {
    visual: root,
    collision: collision.root,
    frames: frames.root,
    inertia: inertia.root,
    contacts: contacts.root,
  }
  place.scene.add(...Object.values(layers))
  const grid = new GridHelper(GRID.size, GRID.divisions, 0x8a929c, 0x8a929c).rotateX(Math.PI / 2)
  grid.position.z = place.floor.position.z
  for (const material of [grid.material].flat())
    Object.assign(material, { transparent: true, opacity: 0.25, depthWrite: false })
  place.scene.add(grid)
  place.light(themes[theme])

  const { camera } = place
  const fieldOfView = camera.fov
  camera.near = NEAR
  camera.far = FAR
  const controls = new OrbitControls(camera, canvas)
  controls.minDistance = 0.05
  controls.maxDistance = 12
  controls.target.set(...place.target)
  controls.update()
  controls.saveState()
  controls.addEventListener('change', onChange)
  const eye = modelCamera(root)
  const gone = follower(followed, root.scale.x)
  const cell = GRID.size / GRID.divisions
  /** What the view has followed so far. */
  const start = new Vector3()
  let looking: Eye | null = null
  let touches: ArrayLike<number> = []
  let [width, height, sharpness] = [1, 1, 1]
  let isSimple = false
  let castAt = 0
  const marked = outline()

  const view = {
    draw() {
      const { x, y, width: wide, height: tall } = fitted(width, height, looking?.aspect ?? null)
      const through = looking ? eye.at(looking, wide / tall) : camera
      renderer.setScissorTest(false)
      renderer.setClearColor(0x000000, 1)
      renderer.clear()
      renderer.setViewport(x, y, wide, tall)
      renderer.setScissor(x, y, wide, tall)
      renderer.setScissorTest(true)
      renderer.render(place.scene, through)
    },
    pose(places: ArrayLike<number>, touching: ArrayLike<number>) {
      const at = (index: number) => places[index] ?? 0
      touches = touching
      if (contacts.root.visible) contacts.put(touching)
      for (const { bodies } of posed)
        for (const [body, group] of bodies.entries()) {
          const start = 7 * body
          group.position.set(at(start), at(start + 1), at(start + 2))
          group.quaternion.set(at(start + 4), at(start + 5), at(start + 6), at(start + 3))
        }
      const { x, y } = gone(places)
      if (x !== 0 || y !== 0) {
        place.move(x, y)
        camera.position.add(new Vector3(x, y, 0))
        controls.target.add(new Vector3(x, y, 0))
        start.add(new Vector3(x, y, 0))
        // The lines of the ground stay where they are.
        grid.position.x = cell * Math.round(controls.target.x / cell)
        grid.position.y = cell * Math.round(controls.target.y / cell)
        controls.update()
      }
      const now = performance.now()
      if (!isSimple || now - castAt > SIMPLE_SHADOW_MS) {
        castAt = now
        place.castShadows()
      }
      onChange()
    },
    resize(nextWidth: number, nextHeight: number, pixelRatio: number) {
      width = Math.max(1, nextWidth)
      height = Math.max(1, nextHeight)
      sharpness = Math.min(pixelRatio, isGlossy ? 2 : 1)
      renderer.setPixelRatio(isSimple ? SIMPLE_SHARPNESS : sharpness)
      renderer.setSize(width, height, false)
      camera.aspect = width / height
      camera.fov = fieldOfViewAt(fieldOfView, FRAMED, camera.aspect)
      camera.updateProjectionMatrix()
      onChange()
    },
    show(layer: Layer, isShown: boolean) {
      layers[layer].visible = isShown
      if (layer === 'contacts' && isShown) contacts.put(touches)
      place.castShadows()
      onChange()
    },
    simplify(next: boolean) {
      if (isSimple === next) return
      isSimple = next
      place.castShadows()
      view.resize(width, height, sharpness)
    },
    light(name: ThemeName) {
      place.light(themes[name])
      onChange()
    },
    look(next: Eye | null) {
      looking = next
      controls.enabled = next === null
      onChange()
    },
    turn(around: number, up: number, distance: number) {
      const offset = new Vector3().subVectors(camera.position, controls.target)
      const flat = Math.hypot(offset.x, offset.y)
      const [azimuth, elevation] = [Math.atan2(offset.y, offset.x) + around, Math.atan2(offset.z, flat) + up]
      const height = Math.min(MAX_ELEVATION, Math.max(-MAX_ELEVATION, elevation))
      const reach = offset.length() * distance
      offset.set(Math.cos(height) * Math.cos(azimuth), Math.cos(height) * Math.sin(azimuth), Math.sin(height))
      camera.position.copy(controls.target).addScaledVector(offset, reach)
      controls.update()
      onChange()
    },
    resetView() {
      controls.reset()
      // The first view is that of where the robot stood.
      camera.position.add(start)
      controls.target.add(start)
      controls.update()
      onChange()
    },
    bodyAt(x: number, y: number) {
      const shown = solid.filter((layer) => layer.root.visible)
      return bodyUnder(shown, looking ? eye.camera : camera, x, y)
    },
    outline(body: number | null) {
      const shown = root.visible ? place.robot : collision
      marked.around(body === null ? null : (shown.bodies[body] ?? null))
      onChange()
    },
    dispose() {
      controls.dispose()
      disposeOf(place.scene)
      surroundings?.dispose()
      renderer.dispose()
      // A page may have few contexts at once, and the collector of garbage comes late.
      renderer.forceContextLoss()
    },
  }
  for (const layer of layerNames) if (layer !== 'visual') view.show(layer, false)
  return view
}

/** Just below straight up, where a view has no side. */
const MAX_ELEVATION = 1.55

/** What glossy surfaces reflect; the caller disposes of it. */
function reflectedRoom(renderer: WebGLRenderer): WebGLRenderTarget {
  const generator = new PMREMGenerator(renderer)
  const room = new RoomEnvironment()
  const reflected = generator.fromScene(room, 0.04)
  room.dispose()
  generator.dispose()
  return reflected
}
