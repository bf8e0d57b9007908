/** The picture of a robot: what is drawn when, what the pointer is at, and through which camera it is seen. */

import { eyeOf } from '@hub/robot-view/scene/eye-of'
import type { Graphics } from '@hub/robot-view/scene/graphics'
import { type LiveView, type LiveViewOptions, liveView } from '@hub/robot-view/scene/live-view'
import type { CameraFacts } from '@hub/robot-view/scene/scene'
import type { ThemeName } from '@hub/robot-view/scene/theme'
import { followedBody } from './followed-body.ts'
import { frameLoop } from './frame-loop.ts'
import { viewerLimits } from './limits.ts'
import type { OpenedModel, PoseFrame } from './protocol.ts'
import { simulationClock } from './simulation-clock.ts'
import type { StageListener } from './stage.ts'
import type { ViewerOptions } from './viewer-face.ts'
import type { ViewerStore } from './viewer-store.ts'

/** Panels are read by people: ten times a second is enough. */
const TELL_EVERY_MS = 100

/** Frames a second below which pictures are made simpler while the robot moves. */
const SLOW = 20

export interface RobotPicture {
  readonly loop: ReturnType<typeof frameLoop>
  /** Null until a model is open, and after `close`. */
  view(): LiveView | null
  /** The last pose that the engine answered, with what sliders changed since. */
  latest(): PoseFrame | null
  /** Draws the first picture of a model. False where the browser has no WebGL. */
  open(model: OpenedModel, frame: PoseFrame): boolean
  /** The engine answered with a pose. */
  shown(frame: PoseFrame): void
  point: StageListener['point']
  lookThrough(camera: number | null): void
  select(body: number | null): void
  light(theme: ThemeName): void
  /** What is seen, as a PNG; null where there is no picture. */
  still(): Promise<Blob | null>
  /** Time that passed before is not made up for. */
  restartClock(): void
  /** Frames a second are counted from now on. */
  restartCount(): void
  close(): void
}

export interface PictureOptions {
  readonly viewer: Pick<ViewerOptions, 'canvas' | 'theme' | 'aspectOf'>
  readonly store: ViewerStore
  readonly graphics: Graphics
  /** Asks the engine for so much of the model's time, in at most so much of its own. */
  readonly advance: (seconds: number, budgetMs: number) => void
}

/** The picture on a canvas. */
export function robotPicture(options: PictureOptions): RobotPicture {
  const { viewer, store, graphics, advance } = options
  const clock = simulationClock()
  const counter = frameCounter(store)
  let theme = viewer.theme
  let view: LiveView | null = null
  let latest: PoseFrame | null = null
  const pointer = pointerOf(store)
  const tell = poseTeller(store, clock)

  const loop = frameLoop(
    (elapsedMs) => {
      const ready = store.ready()
      if (!view || !ready) return
      const seconds = ready.playing ? clock.due(elapsedMs, ready.speed) : null
      if (seconds !== null) advance(seconds, Math.max(viewerLimits.steppingMs, elapsedMs))
      pointer.look(view)
      view.draw()
      if (counter.drawn() < SLOW) view.simplify(true)
    },
    (call) => requestAnimationFrame(call),
    (id) => cancelAnimationFrame(id),
  )

  const lookThrough = (camera: number | null) => {
    const ready = store.ready()
    if (!ready || !latest) return
    view?.look(eyeThrough(viewer, ready.model.cameras, camera, latest))
    if (ready.camera !== camera) store.change({ camera })
  }

  return {
    loop,
    view: () => view,
    latest: () => latest,
    open(model, frame) {
      const look = { theme, graphics, onChange: loop.invalidate }
      view = firstPicture(viewer.canvas, model, frame, look)
      if (view) latest = frame
      return view !== null
    },
    shown(frame) {
      latest = frame
      view?.pose(frame.bodies, frame.contacts)
      view?.ghost(frame.ghost)
      const ready = store.ready()
      if (!ready) return
      clock.answered(performance.now(), frame.time)
      if (ready.camera !== null) lookThrough(ready.camera)
      if (frame.unstable) {
        loop.run(false)
        store.change({ frame, playing: false, unstable: true })
      } else tell(frame, ready.playing)
    },
    point(place) {
      pointer.at(place)
      loop.invalidate()
    },
    lookThrough,
    select(body) {
      view?.outline(body)
      store.change({ selected: body })
    },
    light(name) {
      theme = name
      view?.light(name)
    },
    still: () => (view ? stillOf(viewer.canvas, view) : Promise.resolve(null)),
    restartClock: clock.restart,
    restartCount: counter.restart,
    close() {
      loop.stop()
      view?.dispose()
      view = null
    },
  }
}

/** Tells panels of poses: of each while the robot rests, of some while it moves. */
function poseTeller(store: ViewerStore, clock: ReturnType<typeof simulationClock>) {
  let toldAt = 0
  return (frame: PoseFrame, isPlaying: boolean) => {
    const now = performance.now()
    if (isPlaying && now - toldAt < TELL_EVERY_MS) return
    toldAt = now
    store.change({ frame, pace: clock.pace() })
  }
}

/** A canvas holds a picture only until the browser has shown it. */
function stillOf(canvas: HTMLCanvasElement, view: LiveView): Promise<Blob | null> {
  view.draw()
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
}

/** Draws a model for the first time; null where the browser has no WebGL. */
function firstPicture(
  canvas: HTMLCanvasElement,
  model: OpenedModel,
  frame: PoseFrame,
  look: Pick<LiveViewOptions, 'theme' | 'graphics' | 'onChange'>,
): LiveView | null {
  const boxes = model.bodies.map(({ box }) => box)
  let view: LiveView
  try {
    view = liveView({ canvas, scene: model.scene, followed: followedBody(model), boxes, ...look })
  } catch {
    return null
  }
  view.pose(frame.bodies, frame.contacts)
  view.resize(canvas.clientWidth, canvas.clientHeight, devicePixelRatio)
  view.draw()
  return view
}

/** Where a camera of the model is now, with the shape of picture that the card gives it; null for the free view. */
function eyeThrough(
  { aspectOf }: Pick<ViewerOptions, 'aspectOf'>,
  cameras: readonly CameraFacts[],
  camera: number | null,
  frame: PoseFrame,
) {
  const facts = camera === null ? undefined : cameras[camera]
  if (!facts || camera === null) return null
  return eyeOf(facts, frame.cameras, camera, facts.name ? aspectOf(facts.name) : null)
}

/** What the pointer is at: looked up with the next picture, however often it moved. */
function pointerOf(store: ViewerStore) {
  let place: Parameters<StageListener['point']>[0] | undefined
  return {
    at(next: Parameters<StageListener['point']>[0]) {
      place = next
    },
    look(view: LiveView) {
      if (place === undefined) return
      const at = place
      place = undefined
      const body = at && view.bodyAt(at.x, at.y)
      const before = store.ready()?.pointed ?? null
      if (body === null || !at) {
        if (before) store.change({ pointed: null })
      } else if (before?.body !== body || before.x !== at.left || before.y !== at.top)
        store.change({ pointed: { body, x: at.left, y: at.top } })
    },
  }
}

/** Counts pictures, and tells panels once a second how many there were while the robot moved. */
function frameCounter(store: ViewerStore) {
  let [drawn, countedAt] = [0, performance.now()]
  return {
    restart() {
      drawn = 0
      countedAt = performance.now()
    },
    /** Pictures a second if a second was just counted while the robot moved, else infinity. */
    drawn(): number {
      drawn += 1
      const now = performance.now()
      if (now - countedAt < 1000) return Number.POSITIVE_INFINITY
      const framesPerSecond = store.ready()?.playing ? (1000 * drawn) / (now - countedAt) : null
      drawn = 0
      countedAt = now
      store.change({ framesPerSecond })
      return framesPerSecond ?? Number.POSITIVE_INFINITY
    },
  }
}
