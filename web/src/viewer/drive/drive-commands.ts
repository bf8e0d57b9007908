/** What a person can do with a policy that drives the robot of a viewer, and what the viewer hears of it. */
import type { LiveView } from '@hub/robot-view/scene/live-view'
import type { Engine } from '../engine/start-engine.ts'
import type { RobotViewer } from '../viewer-face.ts'
import type { ViewerStore } from '../viewer-store.ts'
import type { FromDrive } from './drive-protocol.ts'
import { type SeenPicture, seenBy } from './seen-pictures.ts'

type Commands = 'drive' | 'disturb' | 'undrive' | 'recorded' | 'watch'

/** `play`: starts and stops the clock of the viewer. `see`: draws what cameras see; null where nothing is shown. */
export function driveCommands(options: {
  readonly store: ViewerStore
  readonly send: Engine['send']
  readonly play: RobotViewer['play']
  readonly see: () => LiveView['see'] | null
}): { readonly commands: Pick<RobotViewer, Commands>; hear(message: FromDrive): void } {
  const { store, send, play, see } = options
  const watchers = new Set<(pictures: readonly SeenPicture[]) => void>()
  let waiting: PromiseWithResolvers<string> | null = null
  return {
    commands: {
      drive(request) {
        play(false)
        send({ kind: 'drive', ...request })
      },
      disturb: (change) => send({ kind: 'disturb', change }),
      undrive() {
        play(false)
        send({ kind: 'undrive' })
      },
      recorded() {
        waiting ??= Promise.withResolvers<string>()
        send({ kind: 'record' })
        return waiting.promise
      },
      watch(hear) {
        watchers.add(hear)
        return () => watchers.delete(hear)
      },
    },
    hear(message) {
      if (message.kind === 'see') {
        const answer = seenBy(message, store.ready()?.model.cameras ?? [], see(), (pictures) => {
          for (const hear of watchers) hear(pictures)
        })
        const pixels = answer.kind === 'seen' ? answer.pictures.map(({ buffer }) => buffer as ArrayBuffer) : []
        return send(answer, pixels)
      }
      if (message.kind === 'recorded') {
        waiting?.resolve(message.text)
        waiting = null
        return
      }
      const { state } = message
      const before = store.ready()?.drive ?? null
      store.change({ drive: state })
      // Without its policy the robot would fall where it stands.
      if (state?.phase === 'refused' && before?.phase === 'driving') play(false)
      if (state?.phase !== 'driving') return
      // It drives at once, and stands still where it has ended.
      if (before?.phase === 'loading') play(true)
      if (state.status.outcome && store.ready()?.playing) play(false)
    },
  }
}
