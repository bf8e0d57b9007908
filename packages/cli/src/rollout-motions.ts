/** What `hub rollout` keeps of the motions of its seeds: a file of each, and the worst for a result. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalError } from '@hub/client/internal'
import type { EpisodeStep, Outcome } from '@hub/rollout/loop/episode'
import type { SeedMotion } from './rollout-episodes.ts'

interface MotionsOptions {
  /** Name of the task. */
  readonly task: string
  /** Of the files, which is made; null for no files. */
  readonly folder: string | null
  /** How many of the worst are kept. */
  readonly worst: number
}

export interface Motions {
  readonly areKept: boolean
  /** Aborts where a file cannot be written. */
  readonly failed: AbortSignal
  add(outcome: Outcome, steps: readonly EpisodeStep[]): void
  /** The worst of all, the worst first, once the files are written. Rejects where one cannot be. */
  ended(): Promise<readonly SeedMotion[]>
}

/** Keeps what is added. */
export async function openMotions({ task, folder, worst: most }: MotionsOptions): Promise<Motions> {
  const [{ worstKept }, { episodeDocument }, { motionDocument }] = await Promise.all([
    import('@hub/rollout/statistics'),
    import('@hub/rollout/loop/episode'),
    import('@hub/rollout/loop/motion'),
  ])
  if (folder !== null) await mkdir(folder, { recursive: true })
  const worst = worstKept<SeedMotion>(most)
  const written: Promise<void>[] = []
  const stop = new AbortController()
  const cannotWrite = (error: unknown) =>
    stop.abort(new LocalError(`An episode cannot be written: ${error instanceof Error ? error.message : error}`))
  return {
    areKept: folder !== null || most > 0,
    failed: stop.signal,
    add(outcome, steps) {
      const { seed } = outcome
      worst.add(outcome, () => ({ seed, text: JSON.stringify(motionDocument(task, outcome, steps)) }))
      if (folder === null) return
      const text = JSON.stringify(episodeDocument(task, seed, outcome, steps))
      written.push(writeFile(join(folder, `seed-${seed}.json`), `${text}\n`).catch(cannotWrite))
    },
    async ended() {
      await Promise.all(written)
      stop.signal.throwIfAborted()
      return worst.all()
    },
  }
}
