/**
 * Many rollouts in parallel processes. A process that ends takes no result with it: its rollout is done again in
 * another one, and each seed has one result, which is the same wherever it ran.
 */
import type { ChildProcess } from 'node:child_process'
import { killEngine, spawnEngine } from '@hub/check-worker/engine/spawn-engine'
import { programOf } from '@hub/runner/worker/own-program'
import type { EpisodeStep, Outcome } from '../loop/episode.ts'
import { type RolloutLimits, rolloutLimits } from './limits.ts'
import type { FromRollout, OpenedRollout, RolloutJob, ToRollout } from './protocol.ts'

interface RolloutsOptions {
  readonly job: RolloutJob
  /** Each once. */
  readonly seeds: readonly number[]
  readonly parallel: number
  readonly signal: AbortSignal
  readonly limits?: RolloutLimits
  /** Whether `done` gets episodes. */
  readonly record?: boolean
  /** Called once for each seed, as it is done. */
  readonly done?: (outcome: Outcome, episode: readonly EpisodeStep[] | null) => void
  /** A process was started. */
  readonly started?: (pid: number) => void
}

interface Rollouts extends OpenedRollout {
  /** In the order of the seeds. */
  readonly outcomes: readonly Outcome[]
  /** Rollouts that were started again, since their process ended. */
  readonly redone: number
}

/** Why nothing can be run: what the simulation lacks for this policy, a sentence each. */
export class RolloutRefused extends Error {
  override readonly name = 'RolloutRefused'
  readonly reasons: readonly string[]

  constructor(reasons: readonly string[]) {
    super(reasons.join(' '))
    this.reasons = reasons
  }
}

/** Rejects with a `RolloutRefused`, with the signal's reason, or where a rollout ends its process again and again. */
export async function runRollouts(options: RolloutsOptions): Promise<Rollouts> {
  const { job, seeds, parallel, signal, limits = rolloutLimits, record = false, done, started } = options
  signal.throwIfAborted()
  const waiting = [...seeds]
  const attempts = new Map<number, number>()
  const outcomes = new Map<number, Outcome>()
  let opened: OpenedRollout | null = null
  let redone = 0
  const over = new AbortController()
  const stop = AbortSignal.any([signal, over.signal])

  /** The rollout of a process that ended is done again, at most so many times. */
  const again = (seed: number, why: string) => {
    const count = (attempts.get(seed) ?? 0) + 1
    attempts.set(seed, count)
    if (count >= limits.attempts)
      throw new Error(`The rollout of seed ${seed} ended its process ${count} times. ${why}`)
    redone += 1
    waiting.unshift(seed)
  }
  /** One process after another, until no seed waits. */
  const work = async () => {
    // Without a seed of its own a process that ends early counts against the next one.
    while (waiting.length > 0) {
      stop.throwIfAborted()
      let current: number | null = null
      const process = oneProcess(limits, stop, started)
      try {
        opened = await process.open(job)
        for (;;) {
          const seed = waiting.shift()
          if (seed === undefined) return
          current = seed
          const { outcome, episode } = await process.run(seed, record)
          current = null
          if (outcomes.has(seed)) continue
          outcomes.set(seed, outcome)
          done?.(outcome, episode)
        }
      } catch (error) {
        if (!(error instanceof ProcessEnded)) throw error
        const seed = current ?? waiting.shift()
        if (seed !== undefined) again(seed, error.message)
      } finally {
        process.end()
      }
    }
  }
  const workers = Array.from({ length: Math.min(parallel, seeds.length) }, work)
  try {
    await Promise.all(workers)
  } finally {
    over.abort(new Error('over'))
    await Promise.allSettled(workers)
  }
  const found = seeds.flatMap((seed) => outcomes.get(seed) ?? [])
  if (!opened || found.length !== seeds.length) throw new Error('A rollout has no result.')
  return { ...(opened as OpenedRollout), outcomes: found, redone }
}

class ProcessEnded extends Error {}

interface OneProcess {
  open(job: RolloutJob): Promise<OpenedRollout>
  run(seed: number, record: boolean): Promise<Extract<FromRollout, { kind: 'done' }>>
  end(): void
}

/** Its calls reject with a `ProcessEnded` where it ends, or answers too late. */
function oneProcess(
  limits: RolloutLimits,
  signal: AbortSignal,
  started: ((pid: number) => void) | undefined,
): OneProcess {
  const child = spawnEngine(limits, programOf(new URL('./rollout-child.ts', import.meta.url)))
  if (child.pid !== undefined) started?.(child.pid)
  const stderr = tailOf(child)
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
  const answer = <Kind extends FromRollout['kind']>(kind: Kind, request: ToRollout | null, ms: number) =>
    new Promise<Extract<FromRollout, { kind: Kind }>>((resolve, reject) => {
      if (ended) return reject(ended)
      const timer = setTimeout(() => end(new ProcessEnded(`It took longer than ${ms / 1000} s.`)), ms)
      fail = (error) => {
        clearTimeout(timer)
        reject(error)
      }
      hear = (message) => {
        clearTimeout(timer)
        fail = null
        if (message.kind === kind) resolve(message as Extract<FromRollout, { kind: Kind }>)
        else if (message.kind === 'refused') reject(new RolloutRefused(message.why))
        else reject(new ProcessEnded(`It answered ${message.kind}.`))
      }
      // What cannot be sent went with the process, whose end is told.
      if (request) child.send(request, () => undefined)
    })
  const ready = answer('ready', null, limits.startMs)
  ready.catch(() => undefined)
  return {
    async open(job) {
      await ready
      return answer('opened', { kind: 'open', job }, limits.openMs)
    },
    run: (seed, record) => answer('done', { kind: 'run', seed, record }, limits.rolloutMs),
    end() {
      signal.removeEventListener('abort', onAbort)
      killEngine(child)
    },
  }
}

const STDERR_TAIL_CHARS = 500

function tailOf(child: ChildProcess): () => string {
  let tail = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    tail = `${tail}${chunk}`.slice(-STDERR_TAIL_CHARS)
  })
  return () => tail
}
