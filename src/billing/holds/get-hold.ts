/** Reads of single holds: visibility inside the statement. Spec, getSpendHold. */

import { isId } from '@hub/formats/ids'
import { holdViewer, holdVisibleSql, visibleHolds } from '../../auth/hold-policy.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { holdColumns, holdTables, isSpendHold, type SpendHold } from './hold-shape.ts'

const holdsById = statement({
  name: 'spend-holds-by-id',
  exact: 'client-json',
  columns: holdColumns,
  params: { ...holdViewer, ids: param.texts() },
  text: `select ${holdColumns.sql} from ${holdTables} where u.id = any(:ids::text[]) and ${holdVisibleSql('u')}`,
})

/** Holds by id in the requested order, null where invisible; one statement for any number. */
export async function getHoldsById(
  querier: Querier,
  viewer: Viewer,
  ids: readonly string[],
): Promise<(SpendHold | null)[]> {
  const asked = ids.filter((id) => isId('spend', id))
  if (asked.length === 0) return ids.map(() => null)
  const rows = await querier.query(holdsById, { ...visibleHolds(viewer), ids: asked })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** getSpendHold: null if the hold does not exist or the caller may not see it. */
export async function getHold(ctx: RequestContext, id: string): Promise<SpendHold | null> {
  const [hold] = await getHoldsById(ctx.deps.db, ctx.viewer, [id])
  return hold ?? null
}

/** What a create returned, on its replay: 404 if it is gone or hidden now. `find` finds the job where it is not a hold. */
export async function assertMadeVisible(
  { viewer, deps }: RequestContext,
  made: { readonly id: string },
  find: (id: string) => Promise<unknown>,
): Promise<void> {
  await (isSpendHold(made) ? findHold(deps.db, viewer, made.id) : find(made.id))
}

/** The hold that a verb is about, or has written; 404 if the caller may not see it. */
export async function findHold(querier: Querier, viewer: Viewer, id: string): Promise<SpendHold> {
  const [hold] = await getHoldsById(querier, viewer, [id])
  if (!hold) throw notFound(`The hold ${id.slice(0, 64)}`)
  return hold
}
