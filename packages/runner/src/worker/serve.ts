/**
 * The loop of a worker, for any kind of job: takes up what an earlier process left unfinished, then claims one job
 * after another.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { failureLine, ProblemError } from '@hub/client/internal'
import { type Claim, type Claimer, claimFile } from './claim-file.ts'
import { dropLock, takeLock } from './lock.ts'

/** A kind of job as its worker serves it. */
export interface WorkerKind<Job, Outcome> {
  /** Claims the named job, or the oldest that waits; null if none appears in time. Rejects when `signal` aborts. */
  claim(claim: Claim, signal: AbortSignal): Promise<Job | null>
  /** Keeps a claimed job in the work folder, from where a later process takes it up. */
  keep(job: Job, claim: Claim): void
  /** The lock file of the job. */
  lockOf(job: Job): string
  /** For the worker's own output: the id and what it is. */
  describe(job: Job): string
  /** Serves the job to its end. Rejects for what is wrong with this machine, after it has told the hub where it can. */
  execute(job: Job): Promise<Outcome>
  /** Ends a job that was claimed but not started, as a failure with this reason. */
  release(job: Job, why: string): Promise<void>
  /** Jobs in the work folder whose end was not reported. */
  unfinished(): Promise<readonly Unfinished<Job>[]>
}

export interface Unfinished<Job> {
  readonly id: string
  readonly lock: string
  /** Null if it is gone or not visible any more. */
  load(): Promise<Job | null>
}

export interface ServeOptions<Outcome> extends Claimer {
  readonly workDir: string
  /** The worker's name for itself. */
  readonly name: string
  readonly owner: string | null
  /** The one job to serve; null for any. */
  readonly job: string | null
  /** Stop after one job. */
  readonly once: boolean
  readonly stop: AbortSignal
  /** Aborts the client: it gives up what it is sending. */
  readonly gaveUp: AbortSignal
  readonly logLine: (line: string) => void
  readonly ended: (outcome: Outcome) => void
}

/** The hub's maximum wait of a claim. */
const WAIT_S = 30
/** Between jobs after a failure of this machine, doubled each time: a full disk must not fail a whole queue. */
const BACKOFF_MS = 1000
const MAX_BACKOFF_MS = 60_000

/**
 * Serves until `stop` aborts, or with `once` or a named job until one has ended. Rejects with the client's error once
 * it gives up, and with `once` for a failure of this machine.
 */
export async function serve<Job, Outcome>(
  kind: WorkerKind<Job, Outcome>,
  options: ServeOptions<Outcome>,
): Promise<void> {
  const { stop, logLine } = options
  const isOnce = options.once || options.job !== null
  const claims = claimFile(options.workDir, options)
  let failures = 0

  /** False if another process has the job. */
  async function serveLocked(lock: string, load: () => Promise<Job | null>): Promise<boolean> {
    if (!(await takeLock(lock))) return false
    try {
      const job = await load()
      if (job === null) return false
      options.ended(await kind.execute(job))
      failures = 0
    } catch (error) {
      if (isOnce || options.gaveUp.aborted) throw error
      logLine(`failed on this machine: ${failureLine(error)}`)
      await pause(Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** failures), stop)
      failures += 1
    } finally {
      await dropLock(lock)
    }
    return true
  }

  const serveClaimed = (job: Job, claim: Claim) =>
    serveLocked(kind.lockOf(job), async () => {
      try {
        kind.keep(job, claim)
      } catch (error) {
        await kind.release(job, `The worker cannot write its work folder: ${failureLine(error)}.`)
        throw error
      } finally {
        await claims.drop()
      }
      logLine(`${kind.describe(job)}`)
      return job
    })

  for (const { id, lock, load } of await kind.unfinished()) {
    if (options.job !== null && id !== options.job) continue
    const served = await serveLocked(lock, load)
    if (stop.aborted || (served && isOnce)) return
  }
  for (let claim = await claims.adopt(options.job); claim !== null; claim = await claims.adopt(options.job)) {
    const job = await claimAgain(kind, claim, options, claims.drop)
    if (job !== null && (await serveClaimed(job, claim)) && isOnce) return
    if (stop.aborted) return
  }
  while (!stop.aborted) {
    const { name: worker, owner, job: named } = options
    const claim: Claim = { key: randomUUID(), worker, waitS: WAIT_S, owner, job: named }
    claims.keep(claim)
    const job = await claimOrStop(kind, claim, options, claims.drop)
    if (job !== null && (await serveClaimed(job, claim)) && isOnce) return
  }
}

/**
 * The claim of an earlier process that did not learn what it was given; null if the hub refuses it, because it has
 * ended.
 */
async function claimAgain<Job, Outcome>(
  kind: WorkerKind<Job, Outcome>,
  claim: Claim,
  options: ServeOptions<Outcome>,
  drop: () => Promise<void>,
): Promise<Job | null> {
  try {
    return await claimOrStop(kind, claim, options, drop)
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status === 401) throw error
    options.logLine(`an earlier claim has ended: ${failureLine(error)}`)
    return null
  }
}

/** Null if nothing came in time, or the worker is stopped: a claim whose answer is not known by then stays on disk. */
async function claimOrStop<Job, Outcome>(
  kind: WorkerKind<Job, Outcome>,
  claim: Claim,
  { stop }: ServeOptions<Outcome>,
  drop: () => Promise<void>,
): Promise<Job | null> {
  const startedMs = performance.now()
  try {
    const job = await kind.claim(claim, stop)
    if (job && !stop.aborted) return job
    if (job) await kind.release(job, 'The worker was stopped before it began.')
  } catch (error) {
    if (stop.aborted) return null
    if (error instanceof ProblemError) await drop()
    throw error
  }
  await drop()
  // Avoids a busy loop if the hub answers without waiting.
  if (performance.now() - startedMs < 1000) await pause(1000, stop)
  return null
}

const pause = (ms: number, stop: AbortSignal) => delay(ms, undefined, { signal: stop }).catch(() => {})
