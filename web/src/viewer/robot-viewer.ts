/**
 * A robot in 3D: an engine in a worker, a picture on a canvas, and the state that panels show. It knows no framework
 * and no transport.
 */
import { graphicsOf } from '@hub/robot-view/scene/graphics'
import type { LayeredScene } from '@hub/robot-view/scene/scene'
import { controlsOf } from './controls.ts'
import { coordinatesOf } from './coordinates.ts'
import { driveCommands } from './drive/drive-commands.ts'
import { type Engine, startEngine } from './engine/start-engine.ts'
import { followedBody } from './followed-body.ts'
import { viewerLimits } from './limits.ts'
import { engineFailed, noWebgl, tooSlow } from './problems.ts'
import type { FromEngine, OpenedModel, PoseFrame, Problem } from './protocol.ts'
import { type RobotPicture, robotPicture } from './robot-picture.ts'
import { listenTo, type StageListener } from './stage.ts'
import { viewerCommands } from './viewer-commands.ts'
import type { RobotViewer, ViewerOptions } from './viewer-face.ts'
import type { Ready, ShownModel } from './viewer-state.ts'
import { type ViewerStore, viewerStore } from './viewer-store.ts'

/** Opens the model; the state says how far it is. */
export function openRobotViewer(options: ViewerOptions): RobotViewer {
  const began = performance.now()
  const store = viewerStore({ phase: 'loading', stage: 'engine', doneBytes: 0, totalBytes: 0 })
  const graphics = graphicsOf(document.createElement('canvas'))
  let engine: Engine | null = null
  let slow: ReturnType<typeof setTimeout> | undefined
  const send: Engine['send'] = (message, moved) => engine?.send(message, moved)
  const picture = robotPicture({
    viewer: options,
    store,
    graphics: graphics ?? 'dull',
    advance: (seconds, budgetMs) => send({ kind: 'advance', seconds, budgetMs }),
  })

  const commands = viewerCommands({ store, picture, send })
  const driving = driveCommands({ store, send, play: commands.play, see: () => picture.view()?.see ?? null })

  /** Ends the worker, and frees its memory and what the graphics card holds. */
  const release = () => {
    clearTimeout(slow)
    unlisten()
    engine?.end()
    engine = null
    picture.close()
  }
  const fail = (problem: Problem) => {
    release()
    store.become({ phase: 'failed', problem })
  }

  const start = (model: OpenedModel, frame: PoseFrame) => {
    if (!picture.open(model, frame)) return fail(noWebgl)
    const { scene, ...opened } = model
    store.become(firstState(shownModel(opened, scene, frame, performance.now() - began), frame))
    picture.loop.invalidate()
  }

  const hear = (message: Exclude<FromEngine, { kind: 'sign' }>) => {
    clearTimeout(slow)
    if (message.kind === 'failed') fail(message.problem)
    else if (message.kind === 'opened') start(message.model, message.frame)
    else if (message.kind === 'frame') picture.shown(message.frame)
    else if (message.kind === 'drive' || message.kind === 'recorded' || message.kind === 'see') driving.hear(message)
    else if (store.state().phase === 'loading') {
      const { stage, doneBytes, totalBytes } = message
      if (stage === 'compile') slow = setTimeout(() => fail(tooSlow), viewerLimits.compileMs)
      store.become({ phase: 'loading', stage, doneBytes, totalBytes })
    }
  }

  const unlisten = listenTo(options.canvas, pictureListener(picture, store))

  if (graphics) {
    const { entry, base, pose, files, sign } = options
    engine = startEngine({ entry, base, pose, files }, { sign, hear, crash: (why) => fail(engineFailed(why)) })
  } else store.become({ phase: 'failed', problem: noWebgl })

  return {
    state: store.state,
    subscribe: store.subscribe,
    ...commands,
    ...driving.commands,
    lookThrough: picture.lookThrough,
    select: picture.select,
    light: picture.light,
    resetView() {
      picture.lookThrough(null)
      picture.view()?.resetView()
    },
    close() {
      store.close()
      release()
    },
  }
}

/** Does to the picture what a person does on its canvas. A body that is chosen again is chosen no longer. */
function pictureListener(picture: RobotPicture, store: ViewerStore): StageListener {
  return {
    resize: (width, height) => picture.view()?.resize(width, height, devicePixelRatio),
    see: picture.loop.see,
    point: picture.point,
    turn: (around, up, distance) => picture.view()?.turn(around, up, distance),
    resetView: () => picture.view()?.resetView(),
    choose(x, y) {
      const body = picture.view()?.bodyAt(x, y) ?? null
      picture.select(body !== null && store.ready()?.selected === body ? null : body)
    },
  }
}

/** A model as it is first shown: paused, seen from the front, with its visual shapes alone. */
function firstState(model: ShownModel, frame: PoseFrame): Ready {
  return {
    phase: 'ready',
    model,
    frame,
    playing: false,
    speed: 1,
    pace: null,
    framesPerSecond: null,
    layers: { visual: true, collision: false, frames: false, inertia: false, contacts: false },
    camera: null,
    follows: followedBody({ ...model.opened }) === null ? null : true,
    pointed: null,
    selected: null,
    drive: null,
    unstable: false,
  }
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
