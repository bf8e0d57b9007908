/** Reads of single checks: one named statement each, visibility inside the statement. Spec, getRobotCheck. */
import { runViewer, runVisibleSql, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { isId } from '../../platform/ids.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { checkColumns, checkTables, type RobotCheck, toCheck } from '../check-shape.ts'

const checksById = statement({
  name: 'robot-checks-by-id',
  columns: checkColumns,
  params: { ...runViewer, ids: param<readonly string[]>() },
  text: `select ${checkColumns.sql} from ${checkTables} where u.id = any(:ids::text[]) and ${runVisibleSql('u')}`,
})

/** Checks by id in the requested order, null if not visible; one statement for any number. The callers that see an account's runs also see its checks. */
export async function getChecksById(
  querier: Querier,
  viewer: Viewer,
  ids: readonly string[],
): Promise<(RobotCheck | null)[]> {
  const asked = ids.filter((id) => isId('check', id))
  if (asked.length === 0) return ids.map(() => null)
  const rows = await querier.query(checksById, { ...visibleRuns(viewer), ids: asked })
  const byId = new Map(rows.map((row) => [row.id, toCheck(row)]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** getRobotCheck: null if the check does not exist or is not visible to the caller. */
export async function getCheck(ctx: RequestContext, id: string): Promise<RobotCheck | null> {
  const [check] = await getChecksById(ctx.deps.db, ctx.viewer, [id])
  return check ?? null
}

/** The check after a state change, read in the verb's transaction; 404 if it is not visible to the caller. */
export async function readCheck(querier: Querier, viewer: Viewer, id: string): Promise<RobotCheck> {
  const [check] = await getChecksById(querier, viewer, [id])
  if (!check) throw notFound(`The check ${id.slice(0, 64)}`)
  return check
}
