/** Reads of a job's log by its numbers. Chunks of a job are numbered without gaps. */
import type { Querier, Statement } from '../../store/db.ts'
import { headColumns, type JobLog, type LogHead } from './job-log.ts'

/** A piece of a job's log. Its text is in the store, or, of a notice, in the row. */
export interface LogChunk {
  readonly seq: number
  readonly stream: 'stdout' | 'stderr'
  readonly key: string | null
  readonly text: string | null
  readonly lineCount: number
  /** Lines of the log before it. */
  readonly firstLine: number
  readonly byteCount: number
  /** When it came. */
  readonly at: string
}

const headsById = (log: JobLog): Statement<LogHead & { readonly id: string }> => ({
  name: `${log.name}-log-heads`,
  text: `select u.id, ${headColumns(log)} from ${log.table} u where u.id = any($1::text[])`,
})

/** How far each of these jobs goes, in their order; null for one that is gone. */
export async function readHeads(db: Querier, log: JobLog, jobIds: readonly string[]): Promise<(LogHead | null)[]> {
  const heads = await db.query(headsById(log), [[...new Set(jobIds)]])
  const byId = new Map(heads.map((head) => [head.id, head]))
  return jobIds.map((id) => byId.get(id) ?? null)
}

const chunkColumns = `seq, stream, storage_key as key, text, line_count as "lineCount", first_line as "firstLine",
  byte_count as "byteCount", at`

const chunkBySeq = ({ name, chunks }: JobLog): Statement<LogChunk> => ({
  name: `${name}-log-chunk`,
  text: `select ${chunkColumns} from ${chunks.table} where ${chunks.jobId} = $1 and seq = $2`,
})

/** One chunk by its number. */
export async function readChunk(db: Querier, log: JobLog, jobId: string, seq: number): Promise<LogChunk> {
  const [chunk] = await db.query(chunkBySeq(log), [jobId, seq])
  if (!chunk) throw new Error(`The log of ${jobId} has no chunk ${seq}.`)
  return chunk
}

/** By the primary key from the end, which is where a tail is. */
const chunkOfLine = ({ name, chunks }: JobLog): Statement<LogChunk> => ({
  name: `${name}-log-chunk-of-line`,
  text: `select ${chunkColumns} from ${chunks.table} where ${chunks.jobId} = $1 and seq <= $3 and first_line <= $2
    order by seq desc limit 1`,
})

/** The chunk that holds this line (counted from 0) of the log, among those up to `last`; null when there is none. */
export async function findChunkOfLine(
  db: Querier,
  log: JobLog,
  jobId: string,
  line: number,
  last: number,
): Promise<LogChunk | null> {
  const [chunk] = await db.query(chunkOfLine(log), [jobId, line, last])
  return chunk ?? null
}
