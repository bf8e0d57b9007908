/** A robot in 3D: an engine in a worker, a picture on a canvas, and the state that panels show. It knows no framework and no transport. */
import { graphicsOf } from '@hub/robot-view/scene/graphics'
import { type LiveView, liveView } from '@hub/robot-view/scene/live-view'
import type { LayeredScene } from '@hub/robot-view/scene/scene'
import { controlsOf } from './controls.ts'
import { coordinatesOf, written } from './coordinates.ts'
import { type Engine, startEngine } from './engine/start-engine.ts'
import { eyeOf } from './eyes.ts'
import { frameLoop } from './frame-loop.ts'
import { viewerLimits } from './limits.ts'
import { engineFailed, noWebgl, tooSlow } from './problems.ts'
import type { FromEngine, OpenedModel, PoseFrame, Problem } from './protocol.ts'
import { simulationClock } from './simulation-clock.ts'
import { listenTo } from './stage.ts'
import type { RobotViewer, ViewerOptions } from './viewer-face.ts'
import type { Ready, ShownModel, ViewerState } from './viewer-state.ts'

/** Panels are read by people: ten times a second is enough. */
const TELL_EVERY_MS = 100

/** Frames a second below which pictures are made simpler while the robot moves. */
const SLOW = 20

/** Opens the model; the state says how far it is. */
export function openRobotViewer(options: ViewerOptions): RobotViewer {
  const { canvas } = options
  const began = performance.now()
  const listeners = new Set<() => void>()
  const clock = simulationClock()
  let state: ViewerState = { phase: 'loading', stage: 'engine', doneBytes: 0, totalBytes: 0 }
  let theme = options.theme
  let view: LiveView | null = null
  let latest: PoseFrame | null = null
  let toldAt = 0
  let pointedAt: { x: number; y: number; left: number; top: number } | null | undefined
  let [drawn, countedAt] = [0, began]

  const become = (next: ViewerState) => {
    state = next
    for (const hear of listeners) hear()
  }
  const change = (part: Partial<Ready>) => {
    if (state.phase === 'ready') become({ ...state, ...part })
  }
  let engine: Engine | null = null
  let slow: ReturnType<typeof setTimeout> | undefined
  /** Ends the worker, and frees its memory and what the graphics card holds. */
  const release = () => {
    clearTimeout(slow)
    unlisten()
    loop.stop()
    engine?.end()
    engine = null
    view?.dispose()
    view = null
  }
  const fail = (problem: Problem) => {
    release()
    become({ phase: 'failed', problem })
  }

  const loop = frameLoop(
    (elapsedMs) => {
      if (!view || state.phase !== 'ready') return
      if (state.playing) {
        const seconds = clock.due(elapsedMs, state.speed)
        const budgetMs = Math.max(viewerLimits.steppingMs, elapsedMs)
        if (seconds !== null) engine?.send({ kind: 'advance', seconds, budgetMs })
      }
      point()
      view.draw()
      count()
    },
    (call) => requestAnimationFrame(call),
    (id) => cancelAnimationFrame(id),
  )

  const point = () => {
    if (pointedAt === undefined || !view) return
    const body = pointedAt && view.bodyAt(pointedAt.x, pointedAt.y)
    const at = pointedAt
    pointedAt = undefined
    const before = state.phase === 'ready' ? state.pointed : null
    if (body === null || !at) {
      if (before) change({ pointed: null })
    } else if (before?.body !== body || before.x !== at.left || before.y !== at.top)
      change({ pointed: { body, x: at.left, y: at.top } })
  }

  const count = () => {
    drawn += 1
    const now = performance.now()
    if (now - countedAt < 1000) return
    const framesPerSecond = state.phase === 'ready' && state.playing ? (1000 * drawn) / (now - countedAt) : null
    drawn = 0
    countedAt = now
    if (framesPerSecond !== null && framesPerSecond < SLOW) view?.simplify(true)
    change({ framesPerSecond })
  }

  const shown = (frame: PoseFrame) => {
    latest = frame
    view?.pose(frame.bodies, frame.contacts)
    if (state.phase !== 'ready') return
    clock.answered(performance.now(), frame.time)
    if (state.camera !== null) lookThrough(state.camera)
    const now = performance.now()
    if (frame.unstable) {
      loop.run(false)
      change({ frame, playing: false, unstable: true })
    } else if (!state.playing || now - toldAt >= TELL_EVERY_MS) {
      toldAt = now
      change({ frame, pace: clock.pace() })
    }
  }

  const lookThrough = (camera: number | null) => {
    if (state.phase !== 'ready' || !latest) return
    const facts = camera === null ? undefined : state.model.cameras[camera]
    const said = facts?.name ? options.aspectOf(facts.name) : null
    view?.look(facts && camera !== null ? eyeOf(facts, latest.cameras, camera, said) : null)
    if (state.camera !== camera) change({ camera })
  }

  const select = (body: number | null) => {
    view?.outline(body)
    change({ selected: body })
  }

  const start = (model: OpenedModel, frame: PoseFrame) => {
    try {
      const boxes = model.bodies.map(({ box }) => box)
      view = liveView(canvas, model.scene, theme, graphics ?? 'dull', floatingBody(model), boxes, loop.invalidate)
    } catch {
      return fail(noWebgl)
    }
    latest = frame
    view.pose(frame.bodies, frame.contacts)
    view.resize(canvas.clientWidth, canvas.clientHeight, devicePixelRatio)
    view.draw()
    const { scene, ...opened } = model
    become({
      phase: 'ready',
      model: shownModel(opened, scene, frame, performance.now() - began),
      frame,
      playing: false,
      speed: 1,
      pace: null,
      framesPerSecond: null,
      layers: { visual: true, collision: false, frames: false, inertia: false, contacts: false },
      camera: null,
      pointed: null,
      selected: null,
      unstable: false,
    })
    loop.invalidate()
  }

  const hear = (message: Exclude<FromEngine, { kind: 'sign' }>) => {
    clearTimeout(slow)
    if (message.kind === 'failed') fail(message.problem)
    else if (message.kind === 'opened') start(message.model, message.frame)
    else if (message.kind === 'frame') shown(message.frame)
    else if (state.phase === 'loading') {
      const { stage, doneBytes, totalBytes } = message
      if (stage === 'compile') slow = setTimeout(() => fail(tooSlow), viewerLimits.compileMs)
      become({ phase: 'loading', stage, doneBytes, totalBytes })
    }
  }

  const unlisten = listenTo(canvas, {
    resize: (width, height) => view?.resize(width, height, devicePixelRatio),
    see: (isSeen) => loop.see(isSeen),
    point(place) {
      pointedAt = place
      loop.invalidate()
    },
    turn: (around, up, distance) => view?.turn(around, up, distance),
    resetView: () => view?.resetView(),
    choose(x, y) {
      const body = view?.bodyAt(x, y) ?? null
      select(body !== null && state.phase === 'ready' && state.selected === body ? null : body)
    },
  })

  const { entry, base, pose, files } = options
  const graphics = graphicsOf(document.createElement('canvas'))
  if (graphics) {
    engine = startEngine(
      { entry, base, pose, files },
      { sign: options.sign, hear, crash: (why) => fail(engineFailed(why)) },
    )
  } else state = { phase: 'failed', problem: noWebgl }

  return {
    state: () => state,
    subscribe(hearChange) {
      listeners.add(hearChange)
      return () => listeners.delete(hearChange)
    },
    setCoordinate(place, value) {
      const coordinate = state.phase === 'ready' ? state.model.coordinates[place] : undefined
      if (!coordinate || !latest) return
      const change = written(latest.qpos, coordinate, value)
      // The next slider may move before the engine answers.
      for (const [offset, part] of change.values.entries()) latest.qpos[change.at + offset] = part
      engine?.send({ kind: 'qpos', ...change })
    },
    setControl(place, value) {
      const control = state.phase === 'ready' ? state.model.controls[place] : undefined
      if (!control || !latest || state.phase !== 'ready') return
      latest.ctrl[control.at] = value
      engine?.send({ kind: 'control', at: control.at, value })
      change({ frame: { ...state.frame, ctrl: latest.ctrl } })
    },
    toKeyframe(place) {
      loop.run(false)
      view?.simplify(false)
      clock.restart()
      change({ playing: false, unstable: false, pace: null, framesPerSecond: null })
      engine?.send({ kind: 'keyframe', at: place })
    },
    play(isPlaying) {
      clock.restart()
      change({ playing: isPlaying, unstable: false, pace: null, framesPerSecond: null })
      drawn = 0
      countedAt = performance.now()
      if (!isPlaying) view?.simplify(false)
      loop.run(isPlaying)
    },
    step() {
      if (state.phase === 'ready' && state.playing) this.play(false)
      change({ unstable: false })
      engine?.send({ kind: 'step' })
    },
    setSpeed(speed) {
      clock.restart()
      change({ speed, pace: null })
    },
    show(layer, isShown) {
      if (state.phase !== 'ready') return
      view?.show(layer, isShown)
      change({ layers: { ...state.layers, [layer]: isShown } })
    },
    lookThrough,
    select,
    light(name) {
      theme = name
      view?.light(name)
    },
    resetView() {
      lookThrough(null)
      view?.resetView()
    },
    close() {
      listeners.clear()
      release()
    },
  }
}

/** The first root that floats: the robot may leave the picture. */
function floatingBody({ facts, bodies }: OpenedModel): number | null {
  const roots = bodies.flatMap(({ parent }, body) => (body > 0 && parent === 0 ? [body] : []))
  return roots[facts.roots.findIndex(({ floating }) => floating)] ?? null
}

function shownModel(
  opened: Omit<OpenedModel, 'scene'>,
  scene: LayeredScene,
  frame: PoseFrame,
  firstPictureMs: number,
): ShownModel {
  const { facts, bodies } = opened
  const jointsOf = bodies.map(({ name }, body) =>
    body === 0 ? [] : facts.joints.filter((joint) => joint.body === name).map((joint) => joint.name ?? joint.type),
  )
  const floats = facts.roots.some(({ floating }) => floating)
  return {
    opened,
    coordinates: coordinatesOf(facts, frame.qpos, opened.extent),
    controls: controlsOf(facts, opened.controls),
    cameras: opened.cameras,
    jointsOf,
    falls: floats && !facts.has_ground && scene.geoms.length > 0,
    firstPictureMs,
  }
}
