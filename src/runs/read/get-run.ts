/** Reads of single runs: one named statement each, visibility inside the statement. Spec, getRun. */

import { isId } from '@hub/formats/ids'
import { runViewer, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { assertAllRead, isLeftOut, sizedRows, unlessLeftOut } from '../../store/bounded-read.ts'
import { column } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { object } from '../../store/read-json.ts'
import { type Given, param, statement } from '../../store/statement.ts'
import { freeFormBytes } from './list-sql.ts'
import { type Run, type RunGateRow, runColumns, runTables, toRun, visibleRun } from './run-shape.ts'

const params = { ...runViewer, ids: param.texts() }
type SizedValues = Given<typeof params>

const runsById = statement({
  name: 'runs-by-id',
  exact: 'hot',
  columns: runColumns,
  params,
  text: `select ${runColumns.sql} from ${runTables} where u.id = any(:ids::text[]) and ${visibleRun}`,
})

const sizedColumns = runColumns.with({
  ...isLeftOut,
  recipe: column.json(unlessLeftOut('u.recipe'), object),
  notes: column.text.orNull(unlessLeftOut('u.notes')),
  gates: column.document.orNull<RunGateRow[]>(unlessLeftOut('u.gates')),
  latestMetrics: column.document.orNull<Readonly<Record<string, unknown>>>(unlessLeftOut('u.latest_metrics')),
})

const runsByIds = statement({
  name: 'runs-by-ids',
  exact: 'hot',
  columns: sizedColumns,
  params,
  text: `select ${sizedColumns.sql}
    from ${sizedRows('u.id', freeFormBytes('u'), runTables, `u.id = any(:ids::text[]) and ${visibleRun}`)} sized
    join (${runTables}) on u.id = sized.id`,
})

/**
 * Runs by id in the order requested, null if not visible; one statement for any number. 413 if they are too large in
 * total.
 */
export async function getRunsById(querier: Querier, viewer: Viewer, ids: readonly string[]): Promise<(Run | null)[]> {
  const asked = ids.filter((id) => isId('run', id))
  if (asked.length === 0) return ids.map(() => null)
  const values = { ...visibleRuns(viewer), ids: asked }
  const rows = asked.length === 1 ? await querier.query(runsById, values) : await sizedRuns(querier, values)
  const byId = new Map(rows.map((row) => [row.id, toRun(row)]))
  return ids.map((id) => byId.get(id) ?? null)
}

async function sizedRuns(querier: Querier, values: SizedValues) {
  const rows = await querier.query(runsByIds, values)
  assertAllRead(rows, 'runs')
  return rows
}

/** getRun: null if the run does not exist or is not visible to the caller. */
export async function getRun(ctx: RequestContext, id: string): Promise<Run | null> {
  const [run] = await getRunsById(ctx.deps.db, ctx.viewer, [id])
  return run ?? null
}

/**
 * The run after a state change, read in the verb's transaction; 404 if it is not (or no longer) visible to the caller.
 */
export async function readRun(querier: Querier, viewer: Viewer, id: string): Promise<Run> {
  const [run] = await getRunsById(querier, viewer, [id])
  if (!run) throw notFound(`The run ${id.slice(0, 64)}`)
  return run
}
