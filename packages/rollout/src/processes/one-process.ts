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
  const stderr = tailOf(child)
  const pipe = scenePipe(child, limits.sceneBytes)
  let drawer: SightDrawer | null = null
  let hear: ((message: FromRollout) => void) | null = null
  let fail: ((error: Error) => void) | null = null
  let ended: Error | null = null
  const end = (error: Error) => {
    ended ??= error
    fail?.(ended)
  }
  const onAbort = () => end(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  child
    .on('message', (message: FromRollout) => hear?.(message))
    .on('error', (error) => end(error))
    .once('close', (code, killedBy) =>
      end(new ProcessEnded(`It ended with ${killedBy ?? `exit code ${code}`}. ${stderr()}`.trim())),
    )
  // What cannot be sent went with the process, whose end is told.
  const send = (message: ToRollout) => void child.send(message, () => undefined)
  const show = async ({ asked, bodies, cameras }: Extract<FromRollout, { kind: 'see' }>) => {
    if (!drawer) throw new ProcessEnded('It asked for pictures before it was opened.')
    const pictures = await drawer.see({ asked, bodies, cameras }).catch(endedBy)
    send({ kind: 'seen', pictures })
    drew?.(pictures.length)
  }
  const late = (ms: number) => () => end(new ProcessEnded(`It took longer than ${ms / 1000} s.`))
  const answer = <Kind extends FromRollout['kind']>(kind: Kind, request: ToRollout | null, ms: number) =>
    new Promise<Extract<FromRollout, { kind: Kind }>>((resolve, reject) => {
      if (ended) return reject(ended)
      let timer = setTimeout(late(ms), ms)
      fail = (error) => {
        clearTimeout(timer)
        reject(error)
      }
      hear = (message) => {
        clearTimeout(timer)
        // Drawing has a limit of its own.
        if (message.kind === 'see') {
          show(message).then(() => {
            if (!ended) timer = setTimeout(late(ms), ms)
          }, end)
          return
        }
        fail = null
        if (message.kind === kind) resolve(message as Extract<FromRollout, { kind: Kind }>)
        else if (message.kind === 'refused') reject(new RolloutRefused(message.why))
        else reject(new ProcessEnded(`It answered ${message.kind}.`))
      }
      if (request) send(request)
    })
  /** A process that lives may write less than it told. */
  const sceneOf = (bytes: number) =>
    new Promise<Awaited<ReturnType<typeof pipe.whole>>>((resolve, reject) => {
      if (ended) return reject(ended)
      const timer = setTimeout(late(limits.openMs), limits.openMs)
      fail = (error) => {
        clearTimeout(timer)
        reject(error)
      }
      pipe.whole(bytes).then((scene) => {
        clearTimeout(timer)
        fail = null
        resolve(scene)
      }, reject)
    })
  const drawerFor = async ({ cameras, bytes }: SeenWorld): Promise<SightDrawer> => {
    if ('missing' in chromium) throw new RolloutRefused([withoutChromium(chromium.missing)])
    const scene = await sceneOf(bytes)
    if (!scene) throw new ProcessEnded('What its cameras see did not arrive whole.')
    const { program } = chromium
    return openSightDrawer({ program, scene, cameras, limits: limits.drawing, signal }).catch(endedBy)
  }
  /** A Chromium that could not be stopped on its way is ended once it has started. */
  let opening: Promise<SightDrawer> | null = null
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
      if (!seen) return { ...found, drawnBy: null }
      opening = drawerFor(seen)
      drawer = await opening
      return { ...found, drawnBy: drawer.drawnBy }
    },
    run: (seed, record) => answer('done', { kind: 'run', seed, record }, limits.rolloutMs),
    async end() {
      signal.removeEventListener('abort', onAbort)
      killEngine(child)
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
