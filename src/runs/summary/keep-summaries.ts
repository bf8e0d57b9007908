/**
 * Keeps the summaries of a run with its lines: `summary_seq` is the last line that they count. A report counts its own
 * lines in its transaction. What is left behind (by a hub from before summaries) is counted from the stored lines, page
 * by page. Callers hold the run's row lock.
 */

import { inTurns } from '../../platform/slices.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier, Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { readMetrics } from '../metrics/read-metrics.ts'
import { foldLines, type NumberedLine } from './fold-lines.ts'
import { dropSummaries, putSummaries, readSummaries, type SummaryRow, summaryValues } from './summary-rows.ts'

interface CountedRun {
  readonly id: string
  readonly ownerId: string
  readonly metricsSeq: number
  readonly summarySeq: number
}

const lockedColumns = columns({
  id: column.text('id'),
  ownerId: column.text('owner_id'),
  metricsSeq: column.int8('metrics_seq'),
  summarySeq: column.int8('summary_seq'),
  isPending: column.bool('summary_pending'),
})
type LockedRow = RowOf<typeof lockedColumns>

const lock = statement({
  name: 'run-summary-lock',
  columns: lockedColumns,
  params: { runId: param.text() },
  text: `select ${lockedColumns.sql} from runs where id = :runId for update`,
})

const reach = statement({
  name: 'run-summary-reach',
  params: { runId: param.text(), seq: param.int8() },
  text: 'update runs set summary_seq = :seq, summary_pending = :seq < metrics_seq where id = :runId',
})

/** Lines added to stored summaries: all of them, and the keys of those that changed. */
async function withLines(stored: readonly SummaryRow[], lines: readonly NumberedLine[]) {
  const summaries = new Map(stored.map(({ runId: _runId, ...summary }) => [summary.key, summary]))
  return { summaries, changed: await inTurns(foldLines(summaries, lines)) }
}

/** Adds lines to the stored summaries of the run. */
async function count(tx: Querier, run: Pick<CountedRun, 'id' | 'ownerId'>, lines: readonly NumberedLine[]) {
  const { summaries, changed } = await withLines(await readSummaries(tx, [run.id], null), lines)
  const values = summaryValues(run, summaries, changed)
  if (values) await tx.query(putSummaries, values)
}

/**
 * Counts the lines of a report, which follow `run.metricsSeq`, on the summaries that its row lock holds, with a later
 * statement; returns the last line that the summaries count. A run
 * whose summaries are behind is left to the job, whose work may be long.
 */
export async function countReported(
  tx: Tx,
  run: CountedRun,
  stored: readonly SummaryRow[],
  lines: readonly string[],
): Promise<number> {
  if (run.summarySeq !== run.metricsSeq) return run.summarySeq
  const numbered = lines.map((line, at) => ({ seq: run.metricsSeq + 1 + at, line }))
  const { summaries, changed } = await withLines(stored, numbered)
  const values = summaryValues(run, summaries, changed)
  if (values) tx.later(putSummaries, values)
  return run.metricsSeq + lines.length
}

/** Counts one page of what is left; returns the last line that the summaries count then. */
async function countPage(tx: Querier, run: LockedRow): Promise<number> {
  const { rows, reaches } = await readMetrics(tx, run.id, run.summarySeq, run.metricsSeq)
  if (rows.length > 0) await count(tx, run, rows)
  await tx.query(reach, { runId: run.id, seq: reaches })
  return reaches
}

/** Counts one page of the lines that are left, if the run is there; true once nothing is left. */
export async function countSomeLines(tx: Querier, runId: string): Promise<boolean> {
  const [run] = await tx.query(lock, { runId })
  if (!run || (run.summarySeq >= run.metricsSeq && !run.isPending)) return true
  return (await countPage(tx, run)) >= run.metricsSeq
}

/** Counts again, once lines were hidden: nothing if all are, else those that are left. */
export async function countAgain(tx: Querier, runId: string, areAllHidden: boolean): Promise<void> {
  await dropSummaries(tx, runId)
  const [run] = await tx.query(lock, { runId })
  if (!run) return
  if (areAllHidden) await tx.query(reach, { runId, seq: run.metricsSeq })
  else for (let at = 0; at < run.metricsSeq; ) at = await countPage(tx, { ...run, summarySeq: at })
}
