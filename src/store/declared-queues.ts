/** The kinds of jobs as pg-boss has them. A start writes what is new or differs: else nothing but two reads. */
import { isDeepStrictEqual } from 'node:util'
import type { PgBoss } from 'pg-boss'
import { FAILED_QUEUE } from './failed-queue.ts'

/** What pg-boss has to know of a kind of job. */
interface DeclaredJob {
  readonly name: string
  readonly expireSeconds: number
  readonly retryLimit: number
  readonly cron?: string
}

interface DeclaredTimings {
  readonly heartbeatSeconds: number
  readonly retryDelaySeconds: number
}

const DELETE_AFTER_S = 86_400
const CRON_OPTIONS = { tz: 'UTC', singletonKey: 'cron' }

/** Makes each queue that is not there, and brings the others and the schedules to what the jobs say. */
export async function declareQueues(
  boss: PgBoss,
  jobs: readonly DeclaredJob[],
  { heartbeatSeconds, retryDelaySeconds }: DeclaredTimings,
): Promise<void> {
  const [queues, schedules] = await Promise.all([boss.getQueues(), boss.getSchedules()])
  for (const { name, expireSeconds, retryLimit, cron } of jobs) {
    const options = {
      expireInSeconds: expireSeconds,
      heartbeatSeconds,
      retryLimit,
      retryDelay: retryDelaySeconds,
      retryBackoff: true,
      retryDelayMax: 3600,
      deleteAfterSeconds: DELETE_AFTER_S,
      deadLetter: FAILED_QUEUE,
    }
    const known = queues.find((queue) => queue.name === name)
    // `short`: at most one queued job per key, regardless of running ones.
    if (!known) await boss.createQueue(name, { ...options, policy: 'short' })
    else if (!isDeepStrictEqual({ ...options, ...known }, { ...known, ...options }))
      await boss.updateQueue(name, options)
    const planned = schedules.find((schedule) => schedule.name === name)
    const isPlanned = planned?.cron === cron && isDeepStrictEqual(planned?.options, CRON_OPTIONS)
    if (cron !== undefined && !isPlanned) await boss.schedule(name, cron, {}, CRON_OPTIONS)
  }
}
