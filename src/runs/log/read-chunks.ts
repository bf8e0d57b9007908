/** Reads of a run's log and metrics by their numbers. Chunks of a run are numbered without gaps. */
import type { Querier, Statement } from '../../store/db.ts'
import type { RunHead } from './log-batch.ts'

/** A piece of a run's log. Its text is in the store, or, of a notice, in the row. */
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

/** Columns of `RunHead` on the runs row `u`. */
export const headColumns = `u.status, u.kind, u.log_seq as "logSeq", u.log_lines as "logLines", u.metrics_seq as "metricsSeq",
  u.attempt || '.' || u.lost_leases as epoch`

const headsById: Statement<RunHead & { readonly id: string }> = {
  name: 'run-log-heads',
  text: `select u.id, ${headColumns} from runs u where u.id = any($1::text[])`,
}

/** How far each of these runs goes, in their order; null for one that is gone. */
export async function readHeads(db: Querier, runIds: readonly string[]): Promise<(RunHead | null)[]> {
  const heads = await db.query(headsById, [[...new Set(runIds)]])
  const byId = new Map(heads.map((head) => [head.id, head]))
  return runIds.map((id) => byId.get(id) ?? null)
}

const chunkColumns = `seq, stream, storage_key as key, text, line_count as "lineCount", first_line as "firstLine",
  byte_count as "byteCount", at`

const chunkBySeq: Statement<LogChunk> = {
  name: 'run-log-chunk',
  text: `select ${chunkColumns} from run_log_chunks where run_id = $1 and seq = $2`,
}

/** One chunk by its number. */
export async function readChunk(db: Querier, runId: string, seq: number): Promise<LogChunk> {
  const [chunk] = await db.query(chunkBySeq, [runId, seq])
  if (!chunk) throw new Error(`The log of ${runId} has no chunk ${seq}.`)
  return chunk
}

/** By the primary key from the end, which is where a tail is. */
const chunkOfLine: Statement<LogChunk> = {
  name: 'run-log-chunk-of-line',
  text: `select ${chunkColumns} from run_log_chunks where run_id = $1 and seq <= $3 and first_line <= $2 order by seq desc limit 1`,
}

/** The chunk that holds this line (counted from 0) of the log, among those up to `last`; null when there is none. */
export async function findChunkOfLine(
  db: Querier,
  runId: string,
  line: number,
  last: number,
): Promise<LogChunk | null> {
  const [chunk] = await db.query(chunkOfLine, [runId, line, last])
  return chunk ?? null
}

/** A metrics line as JSON text. */
export interface MetricRow {
  readonly seq: number
  readonly line: string
}

/** Lines of some hundred bytes; one may have some megabytes, so a page ends behind the line that takes it past 2 MiB. */
const METRICS_PAGE = 500
const METRICS_PAGE_BYTES = 2 * 1024 * 1024

/** `found` is how many lines the page would have without the bound on its size. */
const metricsAfter: Statement<MetricRow & { readonly found: number }> = {
  name: 'run-log-metrics',
  text: `select seq, line, found from (
      select seq, line, count(*) over ()::int as found,
        sum(octet_length(line)) over (order by seq rows between unbounded preceding and 1 preceding) as before
      from (select seq, line::text as line from run_metrics where run_id = $1 and seq > $2 and seq <= $3 and not hidden
        order by seq limit ${METRICS_PAGE}) l) p
    where before is null or before < ${METRICS_PAGE_BYTES} order by seq`,
}

/** Metrics rows after one number and up to another, a page of them, and the number that the page reaches. */
export async function readMetrics(
  db: Querier,
  runId: string,
  after: number,
  upTo: number,
): Promise<{ rows: readonly MetricRow[]; reaches: number }> {
  const rows = await db.query(metricsAfter, [runId, after, upTo])
  const last = rows.at(-1)
  const isWhole = !last || (last.found < METRICS_PAGE && rows.length === last.found)
  return { rows, reaches: isWhole ? upTo : last.seq }
}
