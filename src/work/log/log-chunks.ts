/** Reads of a job's log by chunk number. Chunks of a job are numbered without gaps. */
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { memoizeByKey } from '../job-kind.ts'
import { headColumns, type JobLog, type LogHead } from './job-log.ts'

const chunkColumns = columns({
  seq: column.int4('seq'),
  stream: column.enum('LogStream', 'stream'),
  key: column.text.orNull('storage_key'),
  text: column.text.orNull('text'),
  lineCount: column.int4('line_count'),
  /** Number of lines of the log that ended before this chunk. */
  firstLine: column.int8('first_line'),
  /** The chunk that the line began in which this one continues with. */
  lineFrom: column.int4.orNull('line_from'),
  byteCount: column.int4('byte_count'),
  /** When the chunk arrived. */
  at: column.timestamptz('at'),
})

/** A chunk of a job's log. Its text is in the row where it is short, else in the store. */
export type LogChunk = RowOf<typeof chunkColumns>

const headsById = memoizeByKey((log: JobLog) => {
  const heads = headColumns(log).with({ id: column.text('u.id') })
  return statement({
    name: `${log.job.name}-log-heads`,
    exact: 'followed',
    columns: heads,
    params: { ids: param.texts() },
    text: `select ${heads.sql} from ${log.job.table} u where u.id = any(:ids::text[])`,
  })
})

/** The log head of each job, in order; null for a deleted one. */
export async function readHeads(db: Querier, log: JobLog, jobIds: readonly string[]): Promise<(LogHead | null)[]> {
  const heads = await db.query(headsById(log), { ids: [...new Set(jobIds)] })
  const byId = new Map(heads.map((head) => [head.id, head]))
  return jobIds.map((id) => byId.get(id) ?? null)
}

const chunkBySeq = memoizeByKey(({ job, chunks }: JobLog) =>
  statement({
    name: `${job.name}-log-chunk`,
    exact: 'followed',
    columns: chunkColumns,
    params: { jobId: param.text(), seq: param.int4() },
    text: `select ${chunkColumns.sql} from ${chunks.table} where ${chunks.jobId} = :jobId and seq = :seq`,
  }),
)

/** One chunk by its number. */
export async function readChunk(db: Querier, log: JobLog, jobId: string, seq: number): Promise<LogChunk> {
  const [chunk] = await db.query(chunkBySeq(log), { jobId, seq })
  if (!chunk) throw new Error(`The log of ${jobId} has no chunk ${seq}.`)
  return chunk
}

/** Reads the primary key from the end, since a tail is near the end. */
const chunkOfLine = memoizeByKey(({ job, chunks }: JobLog) =>
  statement({
    name: `${job.name}-log-chunk-of-line`,
    exact: 'followed',
    columns: chunkColumns,
    params: { jobId: param.text(), line: param.int8(), last: param.int4() },
    text: `select ${chunkColumns.sql} from ${chunks.table} where ${chunks.jobId} = :jobId and seq <= :last
      and first_line <= :line
      order by seq desc limit 1`,
  }),
)

/**
 * The last chunk up to `last` that begins with this line of the log (counted from 0) or an earlier one; null if there
 * is none.
 */
export async function findChunkOfLine(
  db: Querier,
  log: JobLog,
  jobId: string,
  { line, last }: { readonly line: number; readonly last: number },
): Promise<LogChunk | null> {
  const [chunk] = await db.query(chunkOfLine(log), { jobId, line, last })
  return chunk ?? null
}

/** What errors call a chunk. */
export const partOfLog = (jobId: string, seq: number): string => `Part ${seq} of the log of ${jobId}`
