/** One process of rollouts with its limits, and the Chromium that draws what its policy sees. */
import type { ChildProcess } from 'node:child_process'
import { scenePipe } from '@hub/check-worker/engine/scene-pipe'
import { killEngine, spawnEngine } from '@hub/check-worker/engine/spawn-engine'
import type { Chromium } from '@hub/check-worker/stills/find-chromium'
import { CannotDraw, openSightDrawer, type SightDrawer } from '@hub/check-worker/stills/sight-drawer'
import { programOf } from '@hub/runner/worker/own-program'
import type { RolloutLimits } from './limits.ts'
import type { FromRollout, OpenedRollout, RolloutJob, SeenWorld, ToRollout } from './protocol.ts'

/** Why nothing can be run: what the simulation lacks for this policy, a sentence each. */
export class RolloutRefused extends Error {
  override readonly name = 'RolloutRefused'
  readonly reasons: readonly string[]

  constructor(reasons: readonly string[]) {
    super(reasons.join(' '))
    this.reasons = reasons
  }
}

/** The process, or the Chromium beside it, has ended or is late: another one may do its work. */
export class ProcessEnded extends Error {}

export interface OpenedProcess extends OpenedRollout {
  /** What draws the pictures of the policy; null for one that sees none. */
  readonly drawnBy: string | null
}

interface OneProcess {
  open(job: RolloutJob): Promise<OpenedProcess>
  run(seed: number, record: boolean): Promise<Extract<FromRollout, { kind: 'done' }>>
  end(): Promise<void>
}

interface ProcessOptions {
  readonly limits: RolloutLimits
  readonly signal: AbortSignal
  readonly chromium: Chromium
  readonly started?: (pid: number) => void
  readonly drew?: (pictures: number) => void
}

/** Its calls reject with a `ProcessEnded` where it ends, or answers too late. */
export function oneProcess({ limits, signal, chromium, started, drew }: ProcessOptions): OneProcess {
  const child = spawnEngine(limits, programOf(new URL('./rollout-child.ts', import.meta.url)))
  if (child.pid !== undefined) started?.(child.pid)
  const wait = oneWait()
  const hearNoAbort = hearEnd(child, signal, wait.end)
  const sight = sightOf({ limits, signal, chromium, pipe: scenePipe(child, limits.sceneBytes), wait })
  let hear: ((message: FromRollout) => void) | null = null
  child.on('message', (message: FromRollout) => hear?.(message))
  // What cannot be sent went with the process, whose end is told.
  const send = (message: ToRollout) => void child.send(message, () => undefined)
  const show = async (asked: Asking) => {
    const pictures = await sight.see(asked)
    send({ kind: 'seen', pictures })
    drew?.(pictures.length)
  }
  const answer = <Kind extends FromRollout['kind']>(kind: Kind, request: ToRollout | null, ms: number) =>
    wait.within<Extract<FromRollout, { kind: Kind }>>(ms, (turn) => {
      hear = (message) => {
        // Drawing has a limit of its own.
        if (message.kind === 'see') {
          turn.pause()
          show(message).then(turn.goOn, wait.end)
        } else if (message.kind === kind) turn.resolve(message as Extract<FromRollout, { kind: Kind }>)
        else if (message.kind === 'refused') turn.reject(new RolloutRefused(message.why))
        else turn.reject(new ProcessEnded(`It answered ${message.kind}.`))
      }
      if (request) send(request)
    })
  const ready = answer('ready', null, limits.startMs)
  ready.catch(() => undefined)
  return {
    async open(job) {
      await ready
      const {
        kind: _,
        seen,
        ...found
      } = await answer('opened', { kind: 'open', job, sceneBytes: limits.sceneBytes }, limits.openMs)
      return { ...found, drawnBy: seen ? await sight.open(seen) : null }
    },
    run: (seed, record) => answer('done', { kind: 'run', seed, record }, limits.rolloutMs),
    async end() {
      hearNoAbort()
      killEngine(child)
      await sight.end()
    },
  }
}

type Asking = Extract<FromRollout, { kind: 'see' }>

/** Tells the end of the process, or of the wish for it, to `end`; what it returns ends the second. */
function hearEnd(child: ChildProcess, signal: AbortSignal, end: (error: Error) => void): () => void {
  const stderr = tailOf(child)
  const onAbort = () => end(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  child
    .on('error', (error) => end(error))
    .once('close', (code, killedBy) =>
      end(new ProcessEnded(`It ended with ${killedBy ?? `exit code ${code}`}. ${stderr()}`.trim())),
    )
  return () => signal.removeEventListener('abort', onAbort)
}

interface Turn<T> {
  resolve(value: T): void
  reject(error: unknown): void
  /** Its time stands still. */
  pause(): void
  /** Gives it its full time again. */
  goOn(): void
}

/** Waits for something of the process, one at a time. */
interface OneWait {
  /** Rejects with the error of `end`, also of one before; after `ms` it is an `end` itself. */
  within<T>(ms: number, begin: (turn: Turn<T>) => void): Promise<T>
  /** The first error stays. */
  end(error: Error): void
}

function oneWait(): OneWait {
  let fail: ((error: Error) => void) | null = null
  let ended: Error | null = null
  const end = (error: Error) => {
    ended ??= error
    fail?.(ended)
  }
  const late = (ms: number) => () => end(new ProcessEnded(`It took longer than ${ms / 1000} s.`))
  const within = <T>(ms: number, begin: (turn: Turn<T>) => void) =>
    new Promise<T>((resolve, reject) => {
      if (ended) return reject(ended)
      let timer = setTimeout(late(ms), ms)
      fail = (error) => {
        clearTimeout(timer)
        reject(error)
      }
      const settle = () => {
        clearTimeout(timer)
        fail = null
      }
      begin({
        resolve(value) {
          settle()
          resolve(value)
        },
        reject(error) {
          settle()
          reject(error)
        },
        pause: () => clearTimeout(timer),
        goOn() {
          if (!ended) timer = setTimeout(late(ms), ms)
        },
      })
    })
  return { within, end }
}

interface SightOptions extends Pick<ProcessOptions, 'limits' | 'signal' | 'chromium'> {
  readonly pipe: ReturnType<typeof scenePipe>
  readonly wait: OneWait
}

/** The Chromium that draws what the policy sees, once there is a scene to draw. */
function sightOf({ limits, signal, chromium, pipe, wait }: SightOptions) {
  let drawer: SightDrawer | null = null
  /** A Chromium that could not be stopped on its way is ended once it has started. */
  let opening: Promise<SightDrawer> | null = null
  const drawerFor = async ({ cameras, bytes }: SeenWorld): Promise<SightDrawer> => {
    if ('missing' in chromium) throw new RolloutRefused([withoutChromium(chromium.missing)])
    // A process that lives may write less than it told.
    const scene = await wait.within<Awaited<ReturnType<typeof pipe.whole>>>(limits.openMs, (turn) => {
      pipe.whole(bytes).then(turn.resolve, turn.reject)
    })
    if (!scene) throw new ProcessEnded('What its cameras see did not arrive whole.')
    const { program } = chromium
    return openSightDrawer({ program, scene, cameras, limits: limits.drawing, signal }).catch(endedBy)
  }
  return {
    /** What draws the pictures from now on. */
    async open(seen: SeenWorld): Promise<string> {
      opening = drawerFor(seen)
      drawer = await opening
      return drawer.drawnBy
    },
    async see({ asked, bodies, cameras }: Asking) {
      if (!drawer) throw new ProcessEnded('It asked for pictures before it was opened.')
      return drawer.see({ asked, bodies, cameras }).catch(endedBy)
    },
    async end(): Promise<void> {
      await opening?.then(
        (opened) => opened.end(),
        () => undefined,
      )
    },
  }
}

const withoutChromium = (missing: string) => `The policy sees pictures, and nothing here draws them. ${missing}`

/** An abort stays one: its reason is no error of Chromium. */
function endedBy(error: unknown): never {
  throw error instanceof CannotDraw ? new ProcessEnded(error.message) : error
}

const STDERR_TAIL_CHARS = 500

function tailOf(child: ChildProcess): () => string {
  let tail = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    tail = `${tail}${chunk}`.slice(-STDERR_TAIL_CHARS)
  })
  return () => tail
}
