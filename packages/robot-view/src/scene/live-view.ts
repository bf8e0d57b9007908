/**
 * A robot on a canvas that a person turns: the studio of the stills, with a camera that moves and a robot whose pose
 * changes.
 */
import {
  BasicShadowMap,
  type Camera,
  NeutralToneMapping,
  PCFShadowMap,
  PMREMGenerator,
  type Scene,
  WebGLRenderer,
  type WebGLRenderTarget,
} from 'three'
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js'
import { disposeOf } from './dispose-of.ts'
import { fieldOfViewAt, fitted } from './fit.ts'
import { type Followed, follower } from './follow.ts'
import type { Graphics } from './graphics.ts'
import { FRAMED, type Layer, type LiveLayers, layerNames, liveLayers } from './live-layers.ts'
import { type Eye, modelCamera } from './model-camera.ts'
import { type OrbitView, orbitView, type Viewpoint } from './orbit-view.ts'
import type { inertiaLayer } from './overlays.ts'
import { bodyUnder, outline } from './pointed-body.ts'
import type { LayeredScene } from './scene.ts'
import { type Sights, sightsOf } from './sights.ts'
import { type ThemeName, themes } from './theme.ts'

export interface LiveView {
  /** Draws one picture. The caller decides when. */
  draw(): void
  /**
   * Seven numbers of each body in the frame of the world: position, then w, x, y, z of its quaternion, as MuJoCo has
   * them; six of each contact, its place and normal.
   */
  pose(frames: ArrayLike<number>, contacts: ArrayLike<number>): void
  /** Draws the robot a second time, seen through, at other places of its bodies; null for once only. */
  ghost(frames: ArrayLike<number> | null): void
  /** Sizes in CSS pixels. */
  resize(width: number, height: number, pixelRatio: number): void
  show(layer: Layer, isShown: boolean): void
  /** Fewer pixels and rarer shadows, for a machine that draws too slowly. */
  simplify(isSimple: boolean): void
  light(theme: ThemeName): void
  /** Through a camera of the model, or from where the person has turned the view. */
  look(eye: Eye | null): void
  /** Whether the view goes along with the followed body; at first it does. */
  follow(isFollowing: boolean): void
  /** Turns the view around the robot by angles in radians, and scales its distance. */
  turn(around: number, up: number, distance: number): void
  resetView(): void
  viewpoint(): Viewpoint
  viewFrom(viewpoint: Viewpoint): void
  /** The body at a place of the canvas, from -1 to 1 to the right and up; null for none. */
  bodyAt(x: number, y: number): number | null
  /** Draws a box around a body. */
  outline(body: number | null): void
  /** What cameras of the model see, whatever the view shows. */
  readonly see: Sights['see']
  /** Frees everything that the graphics card holds. */
  dispose(): void
}

/** Pixels of the picture for each of the page, where drawing is too slow. */
const SIMPLE_SHARPNESS = 0.6

/** Between shadows there. Without any, every shader would be compiled again, which takes such a machine seconds. */
const SIMPLE_SHADOW_MS = 300

export interface LiveViewOptions {
  readonly canvas: HTMLCanvasElement
  readonly scene: LayeredScene
  readonly theme: ThemeName
  readonly graphics: Graphics
  /** The body that the view stays next to. */
  readonly followed: number | null
  /** Of the inertia of each body. */
  readonly boxes: Parameters<typeof inertiaLayer>[1]
  /** Called when something has changed that a picture would show. */
  readonly onChange: () => void
}

/** The view of a model. Throws where the browser has no WebGL. */
export function liveView({ canvas, scene, theme, graphics, followed, boxes, onChange }: LiveViewOptions): LiveView {
  const picture = openPicture(canvas, graphics)
  const layers = liveLayers(scene, picture.reflected, boxes)
  const { place, groups } = layers
  const { camera } = place
  const { root } = place.robot
  place.light(themes[theme])
  const orbit = orbitView({ camera, canvas, target: place.target, onChange })
  const eye = modelCamera(root)
  const fieldOfView = camera.fov
  let looking: Eye | null = null
  const marked = outline()
  const sights = sightsOf(scene, place.robot.surfaces, picture.renderer)

  const view: LiveView = {
    draw: () =>
      picture.draw(place.scene, looking?.aspect ?? null, (aspect) => (looking ? eye.at(looking, aspect) : camera)),
    ...moving({ layers, orbit, picture, along: follower(followed, root.scale.x), onChange }),
    ghost(places) {
      if (layers.ghost(places)) onChange()
    },
    resize(width, height, pixelRatio) {
      picture.resize(width, height, pixelRatio)
      camera.aspect = picture.aspect()
      camera.fov = fieldOfViewAt(fieldOfView, FRAMED, camera.aspect)
      camera.updateProjectionMatrix()
      onChange()
    },
    show(layer, isShown) {
      layers.show(layer, isShown)
      place.castShadows()
      onChange()
    },
    simplify(next) {
      if (!picture.simplify(next)) return
      place.castShadows()
      onChange()
    },
    light(name) {
      place.light(themes[name])
      onChange()
    },
    look(next) {
      looking = next
      orbit.enable(next === null)
      onChange()
    },
    ...turning(orbit, onChange),
    bodyAt(x, y) {
      const shown = layers.solid.filter((layer) => layer.root.visible)
      return bodyUnder(shown, looking ? eye.camera : camera, x, y)
    },
    outline(body) {
      const shown = groups.visual.visible ? place.robot : layers.collision
      marked.around(body === null ? null : (shown.bodies[body] ?? null))
      onChange()
    },
    see: sights.see,
    dispose() {
      orbit.dispose()
      sights.dispose()
      disposeOf(place.scene)
      picture.dispose()
    },
  }
  for (const layer of layerNames) if (layer !== 'visual') view.show(layer, false)
  return view
}

interface Moving {
  readonly layers: LiveLayers
  readonly orbit: OrbitView
  readonly picture: ReturnType<typeof openPicture>
  readonly along: ReturnType<typeof follower>
  readonly onChange: () => void
}

/** Where the bodies are, and with them what stays next to one. */
function moving({ layers, orbit, picture, along, onChange }: Moving): Pick<LiveView, 'pose' | 'follow'> {
  let castAt = 0
  let last: ArrayLike<number> | null = null
  return {
    pose(places, touching) {
      layers.pose(places, touching)
      last = places
      keepNextTo(layers, orbit, along.gone(places))
      const now = performance.now()
      if (!picture.isSimple() || now - castAt > SIMPLE_SHADOW_MS) {
        castAt = now
        layers.place.castShadows()
      }
      onChange()
    },
    follow(isFollowing) {
      along.follow(isFollowing)
      if (last) keepNextTo(layers, orbit, along.gone(last))
      onChange()
    },
  }
}

/** Where the free view is, and what moves it. */
function turning(
  orbit: OrbitView,
  onChange: () => void,
): Pick<LiveView, 'turn' | 'resetView' | 'viewpoint' | 'viewFrom'> {
  return {
    turn(around, up, distance) {
      orbit.turn(around, up, distance)
      onChange()
    },
    resetView() {
      orbit.reset()
      onChange()
    },
    viewpoint: orbit.viewpoint,
    viewFrom(viewpoint) {
      orbit.viewFrom(viewpoint)
      onChange()
    },
  }
}

/** Moves lamps, ground and camera by as much as the robot has moved; the ground stays at its height. */
function keepNextTo(layers: LiveLayers, orbit: OrbitView, { x, y, z }: Followed): void {
  if (x === 0 && y === 0 && z === 0) return
  layers.place.move(x, y)
  orbit.move(x, y, z)
  layers.gridBelow(orbit.target.x, orbit.target.y)
}

/** The canvas and what draws on it: its size, its sharpness, and the part of it that a picture fills. */
function openPicture(canvas: HTMLCanvasElement, graphics: Graphics) {
  const isGlossy = graphics === 'glossy'
  const renderer = new WebGLRenderer({ canvas, antialias: isGlossy })
  renderer.shadowMap.enabled = true
  renderer.shadowMap.type = isGlossy ? PCFShadowMap : BasicShadowMap
  renderer.toneMapping = NeutralToneMapping
  const surroundings = isGlossy ? reflectedRoom(renderer) : null
  let [width, height, sharpness] = [1, 1, 1]
  let isSimple = false
  const apply = () => {
    renderer.setPixelRatio(isSimple ? SIMPLE_SHARPNESS : sharpness)
    renderer.setSize(width, height, false)
  }

  return {
    renderer,
    reflected: surroundings?.texture ?? null,
    isSimple: () => isSimple,
    aspect: () => width / height,
    /** `aspect`: of a picture with bars next to or above it; null fills the canvas. */
    draw(scene: Scene, aspect: number | null, cameraAt: (aspect: number) => Camera) {
      const { x, y, width: wide, height: tall } = fitted(width, height, aspect)
      const through = cameraAt(wide / tall)
      renderer.setScissorTest(false)
      renderer.setClearColor(0x000000, 1)
      renderer.clear()
      renderer.setViewport(x, y, wide, tall)
      renderer.setScissor(x, y, wide, tall)
      renderer.setScissorTest(true)
      renderer.render(scene, through)
    },
    resize(nextWidth: number, nextHeight: number, pixelRatio: number) {
      width = Math.max(1, nextWidth)
      height = Math.max(1, nextHeight)
      sharpness = Math.min(pixelRatio, isGlossy ? 2 : 1)
      apply()
    },
    /** False if nothing changed. */
    simplify(next: boolean) {
      if (isSimple === next) return false
      isSimple = next
      apply()
      return true
    },
    dispose() {
      surroundings?.dispose()
      renderer.dispose()
      // A page may have few contexts at once, and the collector of garbage comes late.
      renderer.forceContextLoss()
    },
  }
}

/** What glossy surfaces reflect; the caller disposes of it. */
function reflectedRoom(renderer: WebGLRenderer): WebGLRenderTarget {
  const generator = new PMREMGenerator(renderer)
  const room = new RoomEnvironment()
  const reflected = generator.fromScene(room, 0.04)
  room.dispose()
  generator.dispose()
  return reflected
}
