/**
 * Finds the queues that have a job to take, all with one statement: left to itself each worker of pg-boss asks for its
 * own queue, and twenty that find nothing every two seconds are most of what an idle hub costs.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { PgBoss } from 'pg-boss'
import type { Logger } from 'pino'

/** One look into an index for each name, by the conditions with which pg-boss takes a job. */
const readyQueues = `select q.name from unnest($1::text[]) as q(name) where exists (
    select from pgboss.job j
    where j.name = q.name and j.state < 'active' and not j.blocked and j.start_after <= now())`

export interface Looking {
  readonly boss: Pick<PgBoss, 'getDb' | 'notifyWorker'>
  readonly log: Logger
  readonly everySeconds: number
  /** The workers of each kind of job. */
  readonly workers: ReadonlyMap<string, readonly string[]>
}

export interface ReadyLook {
  /** Waits for a look in progress. */
  stop(): Promise<void>
}

/** Wakes the workers of every queue that has a job, until it is stopped. A look that fails is followed by the next. */
export function wakeWhenReady({ boss, log, everySeconds, workers }: Looking): ReadyLook {
  const ending = new AbortController()
  const look = async () => {
    const { rows } = await boss.getDb().executeSql(readyQueues, [[...workers.keys()]])
    for (const { name } of rows) for (const worker of workers.get(name) ?? []) boss.notifyWorker(worker)
  }
  const looks = async () => {
    while (await isOver(everySeconds * 1000, ending.signal))
      await look().catch((error: unknown) => log.warn({ err: error }, 'queue error'))
  }
  const ended = looks()
  return {
    stop: () => {
      ending.abort()
      return ended
    },
  }
}

/** False if the wait is ended before. */
const isOver = (ms: number, signal: AbortSignal) => delay(ms, true, { signal }).catch(() => false)
