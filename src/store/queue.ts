/**
 * Background jobs on pg-boss: jobs are rows, enqueued in the transaction that requires them, and requeued if their
 * process dies.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Job, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { z } from 'zod'
import { backgroundJob } from '../platform/signals.ts'
import type { Tx } from './db.ts'
import { declareQueues } from './declared-queues.ts'
import { FAILED_KEPT_SECONDS, FAILED_QUEUE } from './failed-queue.ts'
import type { QueuedJobName, QueuedJobs } from './queued-jobs.ts'
import { type ReadyLook, wakeWhenReady } from './ready-queues.ts'
import { keptOffRestores } from './restore-mark.ts'
import { asJob, QUEUE_STATEMENT_MS, STUCK_AFTER_MS } from './statement-time.ts'
import { SILENT_MS, watchedClients } from './watched-clients.ts'

export interface Queue {
  /**
   * Enqueues in the caller's transaction: the job exists exactly when the transaction commits, and a worker of this
   * process then takes it at once. Queued jobs with the same key are merged.
   */
  send<Name extends QueuedJobName>(
    tx: Tx,
    job: Name,
    input: QueuedJobs[Name],
    options?: { singletonKey?: string },
  ): Promise<void>
  /** The same for several jobs of one kind, in one statement; none for none. */
  sendAll<Name extends QueuedJobName>(
    tx: Tx,
    job: Name,
    jobs: readonly { readonly input: QueuedJobs[Name]; readonly singletonKey: string }[],
  ): Promise<void>
  /** Finishes the running jobs (at most 30 s) and stops. */
  stop(): Promise<void>
}

/** Definition of a kind of job. Handlers may run twice, even concurrently on two hubs, so each must be idempotent. */
export interface JobDefinition<Parts extends JobParts = never, Input extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly input: Input
  /** Five-field cron in UTC for scheduled jobs; their input is `{}`. */
  readonly cron?: string
  /** Timeout of one run; after that the job is requeued. */
  readonly expireSeconds: number
  readonly retryLimit: number
  /** Concurrent runs in one process. */
  readonly concurrency: number
  /** A method, so that a list of jobs may forget the type of the input: the queue has parsed it by then. */
  handler(input: z.output<Input>, tools: JobTools<Parts>): Promise<void>
}

/** The part of a definition that the queue uses. */
export interface JobParts {
  readonly log: Logger
}

export interface JobTools<Parts> {
  readonly deps: Parts
  /** Aborts when the job is requeued or the hub shuts down. */
  readonly signal: AbortSignal
  readonly log: Logger
}

export interface QueueTimings {
  /** A job without a heartbeat for this long is requeued; at least 10. */
  readonly heartbeatSeconds: number
  /** How often lost jobs are searched. */
  readonly monitorSeconds: number
  /** Delay before the first retry; roughly doubles each time. */
  readonly retryDelaySeconds: number
  /** How often queues with a job to take are searched. */
  readonly pollSeconds: number
}

/** A dead process's job runs again within a minute. */
const defaultTimings: QueueTimings = { heartbeatSeconds: 20, monitorSeconds: 10, retryDelaySeconds: 5, pollSeconds: 2 }
/** How often a worker looks by itself. A job that can be taken has it woken long before: this is its second chance. */
const UNWOKEN_SECONDS = 60
const STOP_TIMEOUT_MS = 30_000

/** The queue of one process. It sends jobs of any name: who restores a backup has them as text. */
export interface QueueHandle extends Pick<Queue, 'stop'> {
  send(tx: Tx, job: string, input: object, options?: { singletonKey?: string }): Promise<void>
  sendAll(
    tx: Tx,
    job: string,
    jobs: readonly { readonly input: object; readonly singletonKey: string }[],
  ): Promise<void>
  /** Declares the kinds of jobs without working on them, for who only enqueues. */
  declare(jobs: readonly Pick<JobDefinition, 'name' | 'expireSeconds' | 'retryLimit' | 'cron'>[]): Promise<void>
  /** Declares the kinds of jobs and starts the workers; nothing can be enqueued before. */
  work<Parts extends JobParts>(jobs: readonly JobDefinition<Parts>[], deps: Parts): Promise<void>
}

/**
 * Opens the queue and creates its tables at the first start (under an advisory lock: hubs that start together wait for
 * each other).
 */
export async function openQueue(options: {
  url: string
  log: Logger
  timings?: Partial<QueueTimings>
  /** Whether it is the restore's own; any other is refused while one is in progress. */
  isOfRestore?: boolean
}): Promise<QueueHandle> {
  const { log } = options
  const timings = { ...defaultTimings, ...options.timings }
  const limits = { silentMs: SILENT_MS, stuckMs: QUEUE_STATEMENT_MS + STUCK_AFTER_MS }
  const pool = { Client: watchedClients(options.url, limits), statement_timeout: QUEUE_STATEMENT_MS }
  const boss = new PgBoss({
    ...pool,
    connectionString: options.url,
    application_name: 'hub-queue',
    ...(options.isOfRestore ? {} : keptOffRestores),
    // Its statements are short: with more, the start alone opens them all, for statements that find nothing, and each
    // closes again after ten seconds.
    max: 2,
    schema: 'pgboss',
    superviseIntervalSeconds: timings.monitorSeconds,
    monitorIntervalSeconds: timings.monitorSeconds,
    cronMonitorIntervalSeconds: 15,
    cronWorkerIntervalSeconds: 5,
  })
  // Its loops continue after an error, usually an unreachable database.
  boss.on('error', (error) => log.warn({ err: error }, 'queue error'))
  await boss.start()
  await boss.createQueue(FAILED_QUEUE, { policy: 'standard', retentionSeconds: FAILED_KEPT_SECONDS })
  /** The workers of each kind of job that this process works on. */
  const workers = new Map<string, readonly string[]>()
  let looking: ReadyLook | undefined
  const within = (tx: Tx) => ({ executeSql: (text: string, values?: unknown[]) => tx.execute(text, values) })
  // The next look finds the job too, up to `pollSeconds` later: a hosted run would wait that long before its machine is
  // asked for. One worker is enough for a job; where it is busy, that look wakes the others.
  const wakeAfter = (tx: Tx, job: string) =>
    tx.afterCommit(() => {
      const [worker] = workers.get(job) ?? []
      if (worker !== undefined) boss.notifyWorker(worker)
    })
  return {
    async send(tx, job, input, { singletonKey = randomUUID() } = {}) {
      await boss.send(job, input, { db: within(tx), singletonKey })
      wakeAfter(tx, job)
    },
    async sendAll(tx, job, jobs) {
      if (jobs.length === 0) return
      const rows = jobs.map(({ input, singletonKey }) => ({ data: input, singletonKey }))
      await boss.insert(job, rows, { db: within(tx) })
      wakeAfter(tx, job)
    },
    declare: (jobs) => declareQueues(boss, jobs, timings),
    async work(jobs, deps) {
      await declareQueues(boss, jobs, timings)
      for (const job of jobs) workers.set(job.name, await workOn(boss, job, deps))
      looking ??= wakeWhenReady({ boss, log, everySeconds: timings.pollSeconds, workers })
    },
    async stop() {
      // Left to itself pg-boss looks every 500 ms whether its workers have stopped; idle ones do so at once.
      const stopped = [...workers.keys()].map((name) => boss.offWork(name, { wait: true }))
      await Promise.race([
        Promise.all([looking?.stop(), ...stopped]),
        delay(STOP_TIMEOUT_MS, undefined, { ref: false }),
      ])
      // Jobs still running now are requeued.
      await boss.stop({ graceful: false, close: true })
    },
  }
}

/**
 * Starts the workers of a kind of job and returns their ids: one call for each, since several of one call have one id,
 * by which only the first is woken.
 */
async function workOn<Parts extends JobParts>(
  boss: PgBoss,
  job: JobDefinition<Parts>,
  deps: Parts,
): Promise<readonly string[]> {
  const options = { pollingIntervalSeconds: UNWOKEN_SECONDS, batchSize: 1 }
  const worker = () =>
    boss.work<object>(job.name, options, async ([run]) => {
      if (run) await runJob(job, run, deps)
    })
  return Promise.all(Array.from({ length: job.concurrency }, worker))
}

async function runJob<Parts extends JobParts>(job: JobDefinition<Parts>, run: Job<object>, deps: Parts): Promise<void> {
  const log = deps.log.child({ job: job.name, jobId: run.id })
  const started = performance.now()
  try {
    const input = job.input.parse(run.data)
    await backgroundJob.follow({ name: job.name }, () =>
      asJob(() => job.handler(input, { deps, signal: run.signal, log })),
    )
    log.debug({ ms: Math.round(performance.now() - started) }, 'job done')
  } catch (error) {
    // The queue records the error and retries; this is for the operator.
    log.error({ err: error }, 'job failed')
    throw error
  }
}
