/** What a person can do with a policy that drives the robot of a viewer, and what the viewer hears of it. */
import type { Engine } from '../engine/start-engine.ts'
import type { RobotViewer } from '../viewer-face.ts'
import type { ViewerStore } from '../viewer-store.ts'
import type { FromDrive } from './drive-protocol.ts'

type Commands = 'drive' | 'disturb' | 'undrive' | 'recorded'

/** `play`: starts and stops the clock of the viewer. */
export function driveCommands(options: {
  readonly store: ViewerStore
  readonly send: Engine['send']
  readonly play: RobotViewer['play']
}): { readonly commands: Pick<RobotViewer, Commands>; hear(message: FromDrive): void } {
  const { store, send, play } = options
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
    },
    hear(message) {
      if (message.kind === 'recorded') {
        waiting?.resolve(message.text)
        waiting = null
        return
      }
      const { state } = message
      const before = store.ready()?.drive ?? null
      store.change({ drive: state })
      if (state?.phase !== 'driving') return
      // It drives at once, and stands still where it has ended.
      if (before?.phase === 'loading') play(true)
      if (state.status.outcome && store.ready()?.playing) play(false)
    },
  }
}
