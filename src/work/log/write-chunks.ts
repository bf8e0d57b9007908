/** Writes to a job's log: reported chunks, what each does to the lines of its log, and notices of the hub. */
import { boundedBytes } from '../../platform/bounded-text.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { insertIntoTable, insertSelectedInto, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { memoizeByKey } from '../job-kind.ts'
import type { JobObjectKind } from '../job-objects.ts'
import type { NewObject } from '../report.ts'
import type { JobLog } from './job-log.ts'

/** The end of the log on the job's row `u`, which a report locks and moves. */
export const logEndColumns = {
  logSeq: column.int4('u.log_seq'),
  logLines: column.int8('u.log_lines'),
  logBytes: column.int8('u.log_bytes'),
  logOpenFrom: column.int4.orNull('u.log_open_from'),
  logOpenBytes: column.int4.orNull('u.log_open_bytes'),
}
const logEnd = columns(logEndColumns)

/** The number of the last chunk, the sums of all chunks, and the open line. */
type LogEnd = RowOf<typeof logEnd>

/** An open line: the chunk that it began in, and its length so far. */
export interface OpenLine {
  readonly from: number
  readonly bytes: number
}

/** The open line of a row with `logEndColumns`. */
function openLineOf({ logOpenFrom: from, logOpenBytes: bytes }: LogEnd): OpenLine | null {
  return from === null || bytes === null ? null : { from, bytes }
}

/** The assignments of a new end, for `set`. */
export const logEndSql = `log_seq = :logSeq, log_lines = :logLines, log_bytes = :logBytes, log_open_from = :logOpenFrom,
      log_open_bytes = :logOpenBytes`

export const logEndParams = {
  logSeq: param.int4(),
  logLines: param.int8(),
  logBytes: param.int8(),
  logOpenFrom: param.int4.orNull(),
  logOpenBytes: param.int4.orNull(),
}

const NEWLINE = 10

/**
 * An open line ends with its chunk once it is as long or in as many chunks: a reader joins it in memory, from one read
 * for each chunk.
 */
const MAX_OPEN_BYTES = 1024 * 1024
const MAX_OPEN_CHUNKS = 100

/** The number of line ends of a chunk, and the number of bytes after the last one. */
export interface ChunkShape {
  readonly lineEnds: number
  readonly openBytes: number
}

/** The shape of a chunk, from its UTF-8. */
export function shapeOf(bytes: Uint8Array): ChunkShape {
  let lineEnds = 0
  let after = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, after)) {
    lineEnds += 1
    after = at + 1
  }
  return { lineEnds, openBytes: bytes.byteLength - after }
}

/** What a chunk does to the lines of its log. */
export interface ChunkLines {
  /** Lines that end in it. */
  readonly lineCount: number
  /** The chunk that the line began in which this one continues with; null where it begins a line. */
  readonly lineFrom: number | null
  /** The open line after it. */
  readonly open: OpenLine | null
}

/** The lines of the holder's next chunk, which is not empty and has the number `seq`, after the open line `before`. */
export function linesAfter(before: OpenLine | null, seq: number, { lineEnds, openBytes }: ChunkShape): ChunkLines {
  const lineFrom = before?.from ?? null
  const goesOn = lineEnds === 0 ? before : null
  const open = { from: goesOn?.from ?? seq, bytes: (goesOn?.bytes ?? 0) + openBytes }
  if (openBytes === 0) return { lineCount: lineEnds, lineFrom, open: null }
  const isFull = open.bytes >= MAX_OPEN_BYTES || seq - open.from >= MAX_OPEN_CHUNKS - 1
  return isFull ? { lineCount: lineEnds + 1, lineFrom, open: null } : { lineCount: lineEnds, lineFrom, open }
}

const insertNotice = memoizeByKey(({ job, chunks }: JobLog) => {
  const row = insertSelectedInto(chunks.table, {
    [chunks.jobId]: sql(':jobId'),
    seq: sql('log_seq'),
    attempt: sql('attempt'),
    stream: 'stderr',
    text: sql(':text'),
    byteCount: sql(':byteCount'),
    lineCount: sql(':lineCount'),
    firstLine: sql('first_line'),
    at: sql('clock_timestamp()'),
  })
  return statement({
    name: `${job.name}-log-notice`,
    params: { jobId: param.text(), text: param.text(), lineCount: param.int8(), byteCount: param.int8() },
    text: `with numbered as (
        update ${job.table} set log_seq = log_seq + 1, log_lines = log_lines + :lineCount,
          log_bytes = log_bytes + :byteCount, updated_at = now()
        where id = :jobId returning log_seq, log_lines - :lineCount as first_line, attempt)
      ${row.sql} from numbered`,
  })
})

/**
 * Writes a sentence of the hub into the job's log, on stderr and without a call to the store. The caller holds the
 * job's row lock and sends a hint after the commit.
 */
export async function addNotice(tx: Tx, log: JobLog, jobId: string, sentence: string): Promise<void> {
  const text = `${sentence}\n`
  const bytes = Buffer.from(text)
  await tx.query(insertNotice(log), { jobId, text, lineCount: shapeOf(bytes).lineEnds, byteCount: bytes.byteLength })
}

const insertLineEnd = memoizeByKey(({ job, chunks }: JobLog) => {
  const row = insertSelectedInto(chunks.table, {
    [chunks.jobId]: sql(':jobId'),
    seq: sql('log_seq'),
    attempt: sql('attempt'),
    stream: 'stdout',
    text: sql("e'\\n'"),
    byteCount: 1,
    lineCount: 1,
    firstLine: sql('first_line'),
    lineFrom: sql('line_from'),
    at: sql('clock_timestamp()'),
  })
  return statement({
    name: `${job.name}-log-line-end`,
    params: { jobId: param.text() },
    text: `with open as (select id, log_open_from from ${job.table} where id = :jobId and log_open_from is not null),
      numbered as (
        update ${job.table} u set log_seq = log_seq + 1, log_lines = log_lines + 1, log_bytes = log_bytes + 1,
          log_open_from = null, log_open_bytes = null
        from open where u.id = open.id returning u.log_seq, u.log_lines - 1 as first_line, u.attempt,
          open.log_open_from as line_from)
      ${row.sql} from numbered`,
  })
})

/**
 * Ends the open line of a holder that is lost: the next one begins a line. No effect without one. The caller holds the
 * job's row lock.
 */
export async function endOpenLine(tx: Tx, log: JobLog, jobId: string): Promise<void> {
  await tx.query(insertLineEnd(log), { jobId })
}

const chunkParams = {
  seq: param.int4(),
  attempt: param.int4(),
  /** One of the two. */
  storageKey: param.text.orNull(),
  text: param.text.orNull(),
  byteCount: param.int4(),
  lineCount: param.int4(),
  firstLine: param.int8(),
  lineFrom: param.int4.orNull(),
  at: param.timestamptz(),
}

const insertChunk = memoizeByKey(({ job, chunks }: JobLog) => {
  const row = insertIntoTable(chunks.table, { [chunks.jobId]: sql(':jobId'), ...chunkParams, stream: 'stdout' })
  return statement({
    name: `${job.name}-log-append`,
    params: { jobId: param.text(), ...chunkParams },
    text: row.sql,
  })
})

/** The log chunk of a report. */
export interface LogChunk {
  readonly bytes: Uint8Array
  /** What its row keeps; null where an object of the store keeps it. */
  readonly text: string | null
  readonly shape: ChunkShape
}

const MAX_LOG_CHUNK_BYTES = 256 * 1024

/**
 * The longest chunk that is kept in its row. An object of its own costs a file with its flushes and a call to read it,
 * which is more than such a row costs; a longer one is cheaper as an object than in the database and its backups.
 */
export const MAX_ROW_CHUNK_BYTES = 16 * 1024

/** The chunk of a report's `logChunk`; null without text. 413 `too_large`. */
export function readChunk(text: string | null | undefined): LogChunk | null {
  if (!text) return null
  const bytes = boundedBytes(text, MAX_LOG_CHUNK_BYTES, ['logChunk'])
  // PostgreSQL's text has no NUL, and a log may.
  const isOfRow = bytes.byteLength <= MAX_ROW_CHUNK_BYTES && !bytes.includes(0)
  return { bytes, text: isOfRow ? text.toWellFormed() : null, shape: shapeOf(bytes) }
}

/** The object that keeps a chunk; null for one that its row keeps. */
export function chunkObject(chunk: LogChunk | null, kind: JobObjectKind): NewObject | null {
  return chunk === null || chunk.text !== null ? null : { kind, bytes: chunk.bytes }
}

/** The job that reports, as its row lock holds it. */
interface LoggedJob extends LogEnd {
  readonly id: string
  readonly attempt: number
  readonly now: string
}

/**
 * Appends the chunk of a report with a later statement, and returns the end of the log after it; without a chunk the
 * log stays as it is. `storageKey` names the object of the chunk (`chunkObject`). The caller holds the job's row lock,
 * and writes the end (`logEndSql`) together with the other changes of the report.
 */
export function appendChunk(
  tx: Tx,
  log: JobLog,
  job: LoggedJob,
  { chunk, storageKey }: { readonly chunk: LogChunk | null; readonly storageKey: string | null },
): LogEnd {
  const { logSeq, logLines, logBytes, logOpenFrom, logOpenBytes } = job
  if (!chunk) return { logSeq, logLines, logBytes, logOpenFrom, logOpenBytes }
  const seq = logSeq + 1
  const byteCount = chunk.bytes.byteLength
  const { lineCount, lineFrom, open } = linesAfter(openLineOf(job), seq, chunk.shape)
  const { id: jobId, attempt, now: at } = job
  const { text } = chunk
  const place = { jobId, seq, attempt, at }
  tx.later(insertChunk(log), { ...place, storageKey, text, byteCount, lineCount, firstLine: logLines, lineFrom })
  return {
    logSeq: seq,
    logLines: logLines + lineCount,
    logBytes: logBytes + byteCount,
    logOpenFrom: open?.from ?? null,
    logOpenBytes: open?.bytes ?? null,
  }
}
