/** What a person can do with the model of a viewer: move its joints, drive it, simulate it, show its layers. */
import { written } from './coordinates.ts'
import type { Engine } from './engine/start-engine.ts'
import type { RobotPicture } from './robot-picture.ts'
import type { RobotViewer } from './viewer-face.ts'
import type { ViewerStore } from './viewer-store.ts'

type Commands =
  | 'setCoordinate'
  | 'replay'
  | 'still'
  | 'viewpoint'
  | 'viewFrom'
  | 'follow'
  | 'setControl'
  | 'toKeyframe'
  | 'play'
  | 'step'
  | 'setSpeed'
  | 'show'

/** The commands of a viewer. `send`: to the engine, if it runs. */
export function viewerCommands(options: {
  readonly store: ViewerStore
  readonly picture: RobotPicture
  readonly send: Engine['send']
}): Pick<RobotViewer, Commands> {
  const { store, picture, send } = options
  const play = (isPlaying: boolean) => {
    picture.restartClock()
    store.change({ playing: isPlaying, unstable: false, pace: null, framesPerSecond: null })
    picture.restartCount()
    if (!isPlaying) picture.view()?.simplify(false)
    picture.loop.run(isPlaying)
  }
  return {
    setCoordinate(place, value) {
      const coordinate = store.ready()?.model.coordinates[place]
      const latest = picture.latest()
      if (!coordinate || !latest) return
      const change = written(latest.qpos, coordinate, value)
      // The next slider may move before the engine answers.
      for (const [offset, part] of change.values.entries()) latest.qpos[change.at + offset] = part
      send({ kind: 'qpos', ...change })
    },
    replay: (qpos, ghost) => send({ kind: 'replay', qpos, ghost }),
    still: picture.still,
    viewpoint: () => picture.view()?.viewpoint() ?? null,
    viewFrom: (viewpoint) => picture.view()?.viewFrom(viewpoint),
    follow(isFollowing) {
      if (store.ready()?.follows == null) return
      picture.view()?.follow(isFollowing)
      store.change({ follows: isFollowing })
    },
    setControl(place, value) {
      const ready = store.ready()
      const control = ready?.model.controls[place]
      const latest = picture.latest()
      if (!control || !latest || !ready) return
      latest.ctrl[control.at] = value
      send({ kind: 'control', at: control.at, value })
      store.change({ frame: { ...ready.frame, ctrl: latest.ctrl } })
    },
    toKeyframe(place) {
      picture.loop.run(false)
      picture.view()?.simplify(false)
      picture.restartClock()
      store.change({ playing: false, unstable: false, pace: null, framesPerSecond: null })
      send({ kind: 'keyframe', at: place })
    },
    play,
    step() {
      if (store.ready()?.playing) play(false)
      store.change({ unstable: false })
      send({ kind: 'step' })
    },
    setSpeed(speed) {
      picture.restartClock()
      store.change({ speed, pace: null })
    },
    show(layer, isShown) {
      const ready = store.ready()
      if (!ready) return
      picture.view()?.show(layer, isShown)
      store.change({ layers: { ...ready.layers, [layer]: isShown } })
    },
  }
}
