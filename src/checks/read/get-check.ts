/** Reads of single checks: one named statement each, visibility inside the statement. Spec, getRobotCheck. */

import { isId } from '@hub/formats/ids'
import { runViewer, runVisibleSql, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { assertAllRead, isLeftOut, sizedRows, unlessLeftOut } from '../../store/bounded-read.ts'
import { column } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { type Given, param, statement } from '../../store/statement.ts'
import type { Document } from '../check-parts.ts'
import { checkColumns, checkTables, type RobotCheck, toCheck } from '../check-shape.ts'
import { writtenBytes } from './check-streams.ts'

const params = { ...runViewer, ids: param.texts() }

const checksById = statement({
  name: 'robot-checks-by-id',
  exact: 'hot',
  columns: checkColumns,
  params,
  text: `select ${checkColumns.sql} from ${checkTables} where u.id = any(:ids::text[]) and ${runVisibleSql('u')}`,
})

const sizedColumns = checkColumns.with({
  ...isLeftOut,
  report: column.document.orNull<Document>(unlessLeftOut('u.report')),
  draft: column.document.orNull<Document>(unlessLeftOut('u.draft')),
  card: column.document.orNull<Document>(unlessLeftOut('u.card')),
  intake: column.document.orNull<Document>(unlessLeftOut('u.intake')),
  logTail: column.text(unlessLeftOut('u.log_tail')),
})

const checksByIds = statement({
  name: 'robot-checks-by-ids',
  exact: 'hot',
  columns: sizedColumns,
  params,
  text: `select ${sizedColumns.sql}
    from ${sizedRows('u.id', writtenBytes('u'), checkTables, `u.id = any(:ids::text[]) and ${runVisibleSql('u')}`)} sized
    join (${checkTables}) on u.id = sized.id`,
})

/**
 * Checks by id in the requested order, null if not visible; one statement for any number; 413 if they are too large in
 * total. The callers that see an account's runs also see its checks.
 */
export async function getChecksById(
  querier: Querier,
  viewer: Viewer,
  ids: readonly string[],
): Promise<(RobotCheck | null)[]> {
  const asked = ids.filter((id) => isId('check', id))
  if (asked.length === 0) return ids.map(() => null)
  const values = { ...visibleRuns(viewer), ids: asked }
  const rows = asked.length === 1 ? await querier.query(checksById, values) : await sizedChecks(querier, values)
  const byId = new Map(rows.map((row) => [row.id, toCheck(row)]))
  return ids.map((id) => byId.get(id) ?? null)
}

async function sizedChecks(querier: Querier, values: Given<typeof params>) {
  const rows = await querier.query(checksByIds, values)
  assertAllRead(rows, 'checks')
  return rows
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
