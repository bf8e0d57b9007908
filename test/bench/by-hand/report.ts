/**
 * A report of metrics and log as a person would write it for speed: one transaction with two statements and the read of
 * the run, its log chunk in a row, as the hub keeps short ones. It keeps what the hub keeps: the lease and its holder,
 * lines, summaries, pace, log, the bytes that count against the quota, and the hint to followers. Of the numbers of
 * runners it has the last one only.
 */
import { runViewer, type VisibleRuns } from '../../../src/auth/policy.ts'
import type { Deps } from '../../../src/operation/context.ts'
import { stepOf } from '../../../src/runs/metrics/metrics-line.ts'
import { type Pace, paceAfter, readPace } from '../../../src/runs/read/pace.ts'
import { runColumns, runTables, toRun, visibleRun } from '../../../src/runs/read/run-shape.ts'
import { column, columns } from '../../../src/store/columns.ts'
import { param, statement } from '../../../src/store/statement.ts'
import { runJson } from './run-json.ts'

export interface HandReport {
  readonly metrics: readonly Readonly<Record<string, number>>[]
  readonly log_chunk: string
}

const heldColumns = columns({
  ownerId: column.text('owner_id'),
  attempt: column.int4('attempt'),
  status: column.text('status::text'),
  holder: column.text.orNull('claim_credential'),
  metricsSeq: column.int8('metrics_seq'),
  logSeq: column.int4('log_seq'),
  logLines: column.int8('log_lines'),
  heartbeatAt: column.timestamptz.orNull('heartbeat_at'),
  pace: column.jsonb.orNull('pace', readPace),
  now: column.timestamptz('clock_timestamp()'),
})

const lock = statement({
  name: 'by-hand-report-lock',
  columns: heldColumns,
  params: { ...runViewer, id: param.text() },
  text: `select ${heldColumns.sql} from runs u where id = :id and ${visibleRun} for update`,
})

const written = columns({ used: column.int8('storage_bytes + reserved_bytes') })

const write = statement({
  name: 'by-hand-report-write',
  columns: written,
  params: {
    id: param.text(),
    ownerId: param.text(),
    attempt: param.int4(),
    firstSeq: param.int8(),
    steps: param.float8s(),
    lines: param.texts(),
    pace: param.jsonb.orNull(),
    keys: param.texts(),
    counts: param.int8s(),
    lasts: param.float8s(),
    mins: param.float8s(),
    maxs: param.float8s(),
    sums: param.float8s(),
    lastStep: param.float8(),
    logSeq: param.int4(),
    logText: param.text(),
    logBytes: param.int4(),
    logLines: param.int4(),
    firstLine: param.int8(),
    bytes: param.int8(),
    lease: param.float8(),
  },
  text: `with lines as (
      insert into run_metrics (run_id, seq, attempt, step, line)
      select :id, :firstSeq + place, :attempt, step, line::json
      from unnest(:steps::float8[], :lines::text[]) with ordinality as given(step, line, place)),
    summaries as (
      insert into run_metric_summaries as s
        (run_id, owner_id, key, position, count, last, last_step, min, min_step, max, max_step, mean)
      select :id, :ownerId, key, place, count, last, :lastStep, min, :lastStep, max, :lastStep, sum / count
      from unnest(:keys::text[], :counts::bigint[], :lasts::float8[], :mins::float8[], :maxs::float8[], :sums::float8[])
        with ordinality as given(key, count, last, min, max, sum, place)
      on conflict (run_id, key) do update set count = s.count + excluded.count, last = excluded.last,
        last_step = excluded.last_step, min = least(s.min, excluded.min), max = greatest(s.max, excluded.max),
        mean = s.mean + (excluded.mean - s.mean) * excluded.count / (s.count + excluded.count)),
    chunk as (
      insert into run_log_chunks (run_id, seq, attempt, stream, text, byte_count, line_count, first_line)
      values (:id, :logSeq, :attempt, 'stdout', :logText, :logBytes, :logLines, :firstLine)),
    run as (
      update runs set heartbeat_at = clock_timestamp(), updated_at = clock_timestamp(),
        lease_expires_at = clock_timestamp() + make_interval(secs => :lease),
        metrics_seq = metrics_seq + cardinality(:lines::text[]), summary_seq = summary_seq + cardinality(:lines::text[]),
        latest_metrics = (:lines::text[])[cardinality(:lines::text[])]::json, pace = :pace::jsonb,
        log_seq = :logSeq, log_lines = log_lines + :logLines, log_bytes = log_bytes + :logBytes,
        stored_bytes = stored_bytes + :bytes where id = :id)
    update accounts set storage_bytes = storage_bytes + :bytes where id = :ownerId
    returning ${written.sql}`,
})

const show = statement({
  name: 'by-hand-report-show',
  columns: runColumns,
  params: { id: param.text() },
  text: `select ${runColumns.sql} from ${runTables} where u.id = :id`,
})

/** Answers the run; throws where the caller does not hold it or the quota is used up. */
export async function report(
  { db, events, config }: Deps,
  viewer: VisibleRuns & { readonly holder: string },
  id: string,
  { metrics, log_chunk }: HandReport,
): Promise<unknown> {
  const chunk = Buffer.from(log_chunk)
  const lines = metrics.map((line) => JSON.stringify(line))
  const steps = metrics.map((line) => stepOf(line) ?? 0)
  const shown = await db.withTx(async (tx) => {
    const [run] = await tx.query(lock, { ...viewer, id })
    if (run?.status !== 'running' || run.holder !== viewer.holder) throw new Error('not the holder')
    const [use] = await tx.query(write, {
      id,
      ownerId: run.ownerId,
      attempt: run.attempt,
      firstSeq: run.metricsSeq,
      steps,
      lines,
      pace: paceColumn(run, steps),
      ...summaryArrays(metrics),
      lastStep: steps.at(-1) ?? 0,
      logSeq: run.logSeq + 1,
      logText: log_chunk,
      logBytes: chunk.byteLength,
      logLines: lineEnds(chunk),
      firstLine: run.logLines,
      bytes: chunk.byteLength + lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0),
      lease: config.runs.leaseSeconds,
    })
    if ((use?.used ?? 0) > config.storageQuotaBytes) throw new Error('over the quota')
    tx.afterCommit(() => events.hint(id))
    const [row] = await tx.query(show, { id })
    return row
  })
  return shown && runJson(toRun(shown))
}

function paceColumn(
  run: { readonly now: string; readonly heartbeatAt: string | null; readonly pace: Pace | null },
  steps: readonly number[],
): string | null {
  const atMs = Date.parse(run.now)
  const sinceMs = run.heartbeatAt === null ? atMs : Date.parse(run.heartbeatAt)
  const pace = paceAfter(run.pace ?? [], steps.length, (place) => steps[place] ?? null, { sinceMs, atMs })
  return pace && JSON.stringify(pace)
}

/** What the lines add to the summary of each key, as columns. */
function summaryArrays(metrics: HandReport['metrics']) {
  const byKey = new Map<string, number[]>()
  for (const line of metrics)
    for (const [key, value] of Object.entries(line)) {
      const values = byKey.get(key)
      if (values) values.push(value)
      else byKey.set(key, [value])
    }
  const all = [...byKey.values()]
  return {
    keys: [...byKey.keys()],
    counts: all.map((values) => values.length),
    lasts: all.map((values) => values.at(-1) ?? 0),
    mins: all.map((values) => Math.min(...values)),
    maxs: all.map((values) => Math.max(...values)),
    sums: all.map((values) => values.reduce((sum, value) => sum + value, 0)),
  }
}

function lineEnds(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count += 1
  return count
}
