/**
 * Deletes the logs of runs and checks that have ended longer than LOG_RETENTION_S ago. One transaction drops a log: a
 * notice becomes its first chunk, and its bytes no longer count. From that commit on no reader asks for what came
 * before; a job deletes it an hour later. Chunk numbers are never given out twice, so what readers have cached and the
 * positions that they resume from stay right.
 */
import { checkLog } from '../checks/log/check-log.ts'
import type { Deps } from '../operation/context.ts'
import { runLog } from '../runs/log/run-log.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { areDeletionsHeld } from '../store/deletion-hold.ts'
import { insertInto } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import { memoizeByKey } from '../work/job-kind.ts'
import { countStored } from '../work/job-objects.ts'
import type { JobLog } from '../work/log/job-log.ts'
import { addNotice } from '../work/log/write-chunks.ts'

const logs: readonly JobLog[] = [runLog, checkLog]

const BATCH = 100
const PURGE_BATCH_ROWS = 1000

/** A reader that began before the log was dropped reads it to its end meanwhile. */
const ROWS_STAY_SECONDS = 3600

const idColumn = columns({ id: column.text('id') })
const lockedColumns = columns({ ownerId: column.text('owner_id'), logSeq: column.int4('log_seq') })
const bytesColumn = columns({ bytes: column.int8('coalesce(sum(byte_count), 0)::bigint') })
const keyColumn = columns({ key: column.text.orNull('storage_key') })

const statementsOf = memoizeByKey(({ job, chunks }: JobLog) => ({
  due: statement({
    name: `${job.name}-logs-due`,
    exact: 'next-batch',
    columns: idColumn,
    params: { keptSeconds: param.float8() },
    text: `select ${idColumn.sql} from ${job.table} where log_first is null
      and finished_at < now() - make_interval(secs => :keptSeconds) order by finished_at limit ${BATCH}`,
  }),
  lock: statement({
    name: `${job.name}-log-to-drop`,
    columns: lockedColumns,
    params: { jobId: param.text() },
    text: `select ${lockedColumns.sql} from ${job.table} where id = :jobId and log_first is null
      and finished_at is not null for update`,
  }),
  /**
   * What its holders sent. A line end inside a line may be the hub's (`endOpenLine`), which does not count; such a byte
   * stays counted until the run is deleted, rather than that one too many is given back.
   */
  counted: statement({
    name: `${job.name}-log-counted`,
    exact: 'aggregate',
    columns: bytesColumn,
    params: { jobId: param.text() },
    text: `select ${bytesColumn.sql} from ${chunks.table} where ${chunks.jobId} = :jobId and stream = 'stdout'
      and not (byte_count = 1 and line_from is not null)`,
  }),
  drop: statement({
    name: `${job.name}-log-drop`,
    params: { jobId: param.text(), first: param.int4() },
    text: `update ${job.table} set log_first = :first, log_open_from = null, log_open_bytes = null where id = :jobId`,
  }),
  purge: statement({
    name: `${job.name}-log-purge`,
    columns: keyColumn,
    params: { jobId: param.text(), beforeSeq: param.int4() },
    text: `delete from ${chunks.table} where ${chunks.jobId} = :jobId and seq in (select seq from ${chunks.table}
      where ${chunks.jobId} = :jobId and seq < :beforeSeq order by seq limit ${PURGE_BATCH_ROWS})
      returning ${keyColumn.sql}`,
  }),
}))

const purgeRow = insertInto('log_purges', { jobId: param.text(), jobKind: param.text(), beforeSeq: param.int4() })
const enterPurge = statement({ name: 'log-purge-enter', params: purgeRow.params, text: purgeRow.sql })

const DAY_SECONDS = 86_400

function noticeOf({ job }: JobLog, keptSeconds: number): string {
  const age = keptSeconds % DAY_SECONDS === 0 ? `${keptSeconds / DAY_SECONDS} days` : `${keptSeconds} seconds`
  return `The log was deleted: this hub keeps the log of a ${job.noun} for ${age} after its end.`
}

/** Nothing where another instance has dropped it, or the job is gone. */
async function dropLog(
  tx: Tx,
  log: JobLog,
  jobId: string,
  { config, keptSeconds }: Pick<Deps, 'config'> & { readonly keptSeconds: number },
): Promise<void> {
  const of = statementsOf(log)
  const [job] = await tx.query(of.lock, { jobId })
  if (!job) return
  const first = job.logSeq + 1
  await tx.query(of.drop, { jobId, first })
  if (job.logSeq === 0) return
  const [counted] = await tx.query(of.counted, { jobId })
  await addNotice(tx, log, jobId, noticeOf(log, keptSeconds))
  await tx.query(enterPurge, { jobId, jobKind: log.job.name, beforeSeq: first })
  await countStored(tx, config, log.job, { id: jobId, ownerId: job.ownerId, bytes: -(counted?.bytes ?? 0) })
}

/** Drops each log that is due. One that fails is named in the hub's own log and tried again by the next pass. */
export async function dropOldLogs(deps: Pick<Deps, 'db' | 'config' | 'log'>, signal: AbortSignal): Promise<void> {
  const keptSeconds = deps.config.runs.logKeptSeconds
  if (keptSeconds === 0) return
  for (const log of logs) {
    for (let failed = 0; ; ) {
      const due = await deps.db.query(statementsOf(log).due, { keptSeconds })
      for (const { id } of due) {
        signal.throwIfAborted()
        try {
          await deps.db.withTx((tx) => dropLog(tx, log, id, { config: deps.config, keptSeconds }))
        } catch (error) {
          failed += 1
          deps.log.warn({ err: error, job: id }, 'the log of a job could not be dropped')
        }
      }
      if (due.length < BATCH || failed >= BATCH) break
    }
  }
}

const purgeColumns = columns({ jobId: column.text('job_id'), beforeSeq: column.int4('before_seq') })

const purges = statement({
  name: 'log-purges',
  exact: 'next-batch',
  columns: purgeColumns,
  params: { jobKind: param.text(), staySeconds: param.float8() },
  text: `select ${purgeColumns.sql} from log_purges where job_kind = :jobKind
    and dropped_at <= now() - make_interval(secs => :staySeconds) order by dropped_at limit ${BATCH}`,
})

const purged = statement({
  name: 'log-purged',
  params: { jobId: param.text() },
  text: 'delete from log_purges where job_id = :jobId',
})

/**
 * Deletes the chunks of dropped logs, and their objects. An object that stays behind, because the process died or a
 * backup held it, is one that no row names: the daily collection deletes it.
 */
export async function purgeDroppedLogs(
  deps: Pick<Deps, 'db' | 'objects'>,
  signal: AbortSignal,
  staySeconds = ROWS_STAY_SECONDS,
): Promise<void> {
  for (const log of logs) {
    for (;;) {
      const due = await deps.db.query(purges, { jobKind: log.job.name, staySeconds })
      for (const { jobId, beforeSeq } of due) {
        await purgeChunks(deps, log, { jobId, beforeSeq }, signal)
        await deps.db.query(purged, { jobId })
      }
      if (due.length < BATCH) break
    }
  }
}

async function purgeChunks(
  { db, objects }: Pick<Deps, 'db' | 'objects'>,
  log: JobLog,
  place: { readonly jobId: string; readonly beforeSeq: number },
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const rows = await db.query(statementsOf(log).purge, place)
    const keys = rows.flatMap(({ key }) => key ?? [])
    if (objects && keys.length > 0 && !(await areDeletionsHeld(db))) await objects.delete(keys, signal)
    if (rows.length < PURGE_BATCH_ROWS) return
  }
}
