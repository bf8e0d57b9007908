/** The rows of summaries: one for each metric of a run. */
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { assign, each, excluded, insertEach } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import type { MetricSummary } from './fold-lines.ts'

const summaryColumns = columns({
  runId: column.text('s.run_id'),
  key: column.text('s.key'),
  count: column.int8('s.count'),
  last: column.float8('s.last'),
  lastStep: column.float8('s.last_step'),
  min: column.float8('s.min'),
  minStep: column.float8('s.min_step'),
  max: column.float8('s.max'),
  maxStep: column.float8('s.max_step'),
  mean: column.float8('s.mean'),
})
export type SummaryRow = RowOf<typeof summaryColumns>

/** In the order in which the keys appear in each run. */
const allOfRuns = statement({
  name: 'run-summaries',
  exact: 'per-parent',
  columns: summaryColumns,
  params: { runIds: param.texts() },
  text: `select ${summaryColumns.sql} from run_metric_summaries s where s.run_id = any(:runIds::text[])
    order by s.run_id, s.position`,
})

const keysOfRuns = statement({
  name: 'run-summaries-of-keys',
  exact: 'per-parent',
  columns: summaryColumns,
  params: { runIds: param.texts(), keys: param.texts() },
  text: `select ${summaryColumns.sql} from run_metric_summaries s
    where s.run_id = any(:runIds::text[]) and s.key = any(:keys::text[]) order by s.run_id, s.position`,
})

const written = insertEach('run_metric_summaries', {
  runId: param.text(),
  ownerId: param.text(),
  key: each('keys', param.texts()),
  position: each('positions', param.int4s()),
  count: each('counts', param.int8s()),
  last: each('lasts', param.float8s()),
  lastStep: each('lastSteps', param.float8s()),
  min: each('mins', param.float8s()),
  minStep: each('minSteps', param.float8s()),
  max: each('maxs', param.float8s()),
  maxStep: each('maxSteps', param.float8s()),
  mean: each('means', param.float8s()),
})
const changed = assign('run_metric_summaries', {
  count: excluded,
  last: excluded,
  lastStep: excluded,
  min: excluded,
  minStep: excluded,
  max: excluded,
  maxStep: excluded,
  mean: excluded,
})

/** Writes summaries, with `summaryValues`. */
export const putSummaries = statement({
  name: 'run-summaries-put',
  params: written.params,
  rewrites: 'runId',
  text: `${written.sql} on conflict (run_id, key) do update set ${changed.sql}`,
})

const drop = statement({
  name: 'run-summaries-drop',
  params: { runId: param.text() },
  text: 'delete from run_metric_summaries where run_id = :runId',
})

/** The summaries of runs, of `keys` or of all; in the order in which the keys appear in each run. One statement. */
export function readSummaries(
  db: Querier,
  runIds: readonly string[],
  keys: readonly string[] | null,
): Promise<SummaryRow[]> {
  return keys === null ? db.query(allOfRuns, { runIds }) : db.query(keysOfRuns, { runIds, keys })
}

/** The values for the summaries of `changedKeys`, each with its position among `summaries`; null where there are none. */
export function summaryValues(
  { id: runId, ownerId }: { readonly id: string; readonly ownerId: string },
  summaries: ReadonlyMap<string, MetricSummary>,
  changedKeys: ReadonlySet<string>,
) {
  const placed = [...summaries.values()].map((one, at) => ({ ...one, position: at + 1 }))
  const rows = placed.filter(({ key }) => changedKeys.has(key))
  if (rows.length === 0) return null
  return {
    runId,
    ownerId,
    keys: rows.map(({ key }) => key),
    positions: rows.map(({ position }) => position),
    counts: rows.map(({ count }) => count),
    lasts: rows.map(({ last }) => last),
    lastSteps: rows.map(({ lastStep }) => lastStep),
    mins: rows.map(({ min }) => min),
    minSteps: rows.map(({ minStep }) => minStep),
    maxs: rows.map(({ max }) => max),
    maxSteps: rows.map(({ maxStep }) => maxStep),
    means: rows.map(({ mean }) => mean),
  }
}

/** Deletes all summaries of a run. */
export async function dropSummaries(tx: Querier, runId: string): Promise<void> {
  await tx.query(drop, { runId })
}
