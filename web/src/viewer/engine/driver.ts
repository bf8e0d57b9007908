/** Which policy drives the robot of a worker now, if any, and what the page is told of it. */
import type { CameraFacts } from '@hub/robot-view/scene/scene'
import type { World } from '@hub/rollout/loop/world'
import type { DriveRequest, FromDrive, ToDrive } from '../drive/drive-protocol.ts'
import type { Drive } from './drive.ts'
import { NoPictures, type PictureDesk } from './picture-desk.ts'

interface Driver {
  hear(message: ToDrive): void
  /** True where a policy drives: the model goes on by it. Calls `done` once it has. */
  advance(seconds: number, isOver: () => boolean, done: () => void): boolean
  /** Someone else moves the robot. */
  end(): void
}

/** Panels are read by people: ten times a second is enough. */
const TELL_EVERY_MS = 100

interface DriverOptions {
  /** The model, once it is open. */
  driven(): { readonly world: World; readonly cameras: readonly CameraFacts[] } | null
  readonly desk: PictureDesk
  say(message: FromDrive): void
  /** The robot stands elsewhere than the page was told. */
  moved(): void
  fail(error: unknown): void
}

export function driverOf({ driven, desk, say, moved, fail }: DriverOptions): Driver {
  let drive: Drive | null = null
  let toldAt = 0
  let opening = 0

  const tell = () => {
    toldAt = performance.now()
    if (drive) say({ kind: 'drive', state: { phase: 'driving', status: drive.status() } })
  }
  const end = () => {
    // One that is still being opened is not wanted any more.
    opening += 1
    drive?.close()
    drive = null
    desk.end()
  }
  const open = async (request: DriveRequest) => {
    end()
    const mine = opening
    const policy = request.policy.name
    const tellLoading = (...runtime: readonly [number, number] | readonly []) => {
      const come = runtime.length === 2 && runtime[0] < runtime[1] ? runtime : null
      if (mine === opening) say({ kind: 'drive', state: { phase: 'loading', policy, runtime: come } })
    }
    tellLoading()
    const engine = await import('./drive.ts')
    const given = driven()
    if (!given || mine !== opening) return
    try {
      const { cameras } = given
      const drawn = { cameras, chosen: request.cameras, choice: 'list', draw: desk.draw } as const
      const opened = await engine.openDrive(given.world, request, { drawn, tell: tellLoading })
      if (mine !== opening) return opened.close()
      drive = opened
      tell()
      moved()
    } catch (error) {
      if (mine === opening) say({ kind: 'drive', state: { phase: 'refused', policy, why: engine.reasonsOf(error) } })
    }
  }
  return {
    end() {
      if (!drive) return
      end()
      say({ kind: 'drive', state: null })
    },
    hear(message) {
      if (message.kind === 'drive') open(message).catch(fail)
      else if (message.kind === 'disturb') drive?.disturb(message.change)
      else if (message.kind === 'seen') desk.seen(message.id, message.pictures)
      else if (message.kind === 'unseen') desk.unseen(message.id, message.why)
      else if (message.kind === 'record') {
        if (drive) say({ kind: 'recorded', text: drive.record() })
      } else {
        end()
        say({ kind: 'drive', state: null })
      }
    },
    advance(seconds, isOver, done) {
      const current = drive
      if (!current) return false
      current.advance(seconds, isOver).then(
        () => {
          if (drive === current && (current.status().outcome || performance.now() - toldAt >= TELL_EVERY_MS)) tell()
          done()
        },
        (error: unknown) => {
          if (!(error instanceof NoPictures)) return fail(error)
          const { policy } = current.status()
          end()
          say({ kind: 'drive', state: { phase: 'refused', policy, why: [error.message] } })
          done()
        },
      )
      return true
    },
  }
}
