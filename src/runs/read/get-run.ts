/** Reads of single runs: one named statement each, visibility inside the statement. Spec, getRun. */
import { runViewer, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { isId } from '../../platform/ids.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { type Run, runColumns, runTables, toRun, visibleRun } from './run-shape.ts'

const runsById = statement({
  name: 'runs-by-id',
  columns: runColumns,
  params: { ...runViewer, ids: param<readonly string[]>() },
  text: `select ${runColumns.sql} from ${runTables} where u.id = any(:ids::text[]) and ${visibleRun}`,
})

/** Runs by id in the order requested, null if not visible; one statement for any number. */
export async function getRunsById(querier: Querier, viewer: Viewer, ids: readonly string[]): Promise<(Run | null)[]> {
  const asked = ids.filter((id) => isId('run', id))
  if (asked.length === 0) return ids.map(() => null)
  const rows = await querier.query(runsById, { ...visibleRuns(viewer), ids: asked })
  const byId = new Map(rows.map((row) => [row.id, toRun(row)]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** getRun: null if the run does not exist or is not visible to the caller. */
export async function getRun(ctx: RequestContext, id: string): Promise<Run | null> {
  const [run] = await getRunsById(ctx.deps.db, ctx.viewer, [id])
  return run ?? null
}

/** The run after a state change, read in the verb's transaction; 404 if it is not (or no longer) visible to the caller. */
export async function readRun(querier: Querier, viewer: Viewer, id: string): Promise<Run> {
  const [run] = await getRunsById(querier, viewer, [id])
  if (!run) throw notFound(`The run ${id.slice(0, 64)}`)
  return run
}
