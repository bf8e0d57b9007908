/**
 * Many rollouts in parallel processes. A process that ends takes no result with it: its rollout is done again in
 * another one, and each seed has one result, which is the same wherever it ran.
 */
import type { Chromium } from '@hub/check-worker/stills/find-chromium'
import type { EpisodeStep, Outcome } from '../loop/episode.ts'
import { type RolloutLimits, rolloutLimits } from './limits.ts'
import { type OpenedProcess, oneProcess, ProcessEnded } from './one-process.ts'
import type { RolloutJob } from './protocol.ts'

interface RolloutsOptions {
  readonly job: RolloutJob
  /** Each once. */
  readonly seeds: readonly number[]
  readonly parallel: number
  readonly signal: AbortSignal
  readonly limits?: RolloutLimits
  /** Draws the pictures of a policy that sees some: it is refused without one. */
  readonly chromium?: Chromium
  /** Whether `done` gets episodes. */
  readonly record?: boolean
  /** Called once for each seed, as it is done. */
  readonly done?: (outcome: Outcome, episode: readonly EpisodeStep[] | null) => void
  /** Called with how many pictures were drawn for one decision. */
  readonly drew?: (pictures: number) => void
  /** A process was started. */
  readonly started?: (pid: number) => void
}

interface Rollouts extends OpenedProcess {
  /** In the order of the seeds. */
  readonly outcomes: readonly Outcome[]
  /** Rollouts that were started again, since their process ended. */
  readonly redone: number
}

/** Rejects with a `RolloutRefused`, with the signal's reason, or where a rollout ends its process again and again. */
export async function runRollouts(options: RolloutsOptions): Promise<Rollouts> {
  const { job, seeds, parallel, signal, limits = rolloutLimits, record = false, done, ...given } = options
  signal.throwIfAborted()
  const waiting = [...seeds]
  const attempts = new Map<number, number>()
  const outcomes = new Map<number, Outcome>()
  let opened: OpenedProcess | null = null
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
      const process = oneProcess({ limits, signal: stop, chromium: noChromium, ...given })
      try {
        opened = sameDrawer(opened, await process.open(job))
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
        await process.end()
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
  return { ...(opened as OpenedProcess), outcomes: found, redone }
}

const noChromium: Chromium = { missing: 'None was given.' }

/** One result names one drawer of all its pictures. */
function sameDrawer(before: OpenedProcess | null, now: OpenedProcess): OpenedProcess {
  if (before && before.drawnBy !== now.drawnBy)
    throw new Error(`Pictures were drawn by ${before.drawnBy} at first, and then by ${now.drawnBy}: run them again.`)
  return now
}
