/** Reads of single endpoints: one named statement each, visibility inside the statement. Spec, getEndpoint. */

import { isId } from '@hub/formats/ids'
import { billedViewer, billedVisibleSql, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { type Endpoint, endpointColumns, endpointTables, toEndpoint } from '../endpoint-shape.ts'

const endpointsById = statement({
  name: 'endpoints-by-id',
  exact: 'verb-answer',
  columns: endpointColumns,
  params: { ...billedViewer, ids: param.texts() },
  text: `select ${endpointColumns.sql} from ${endpointTables} where u.id = any(:ids::text[])
    and ${billedVisibleSql('u')}`,
})

/** Endpoints by id in the order asked, null where invisible; one statement for any number. */
export async function getEndpointsById(
  querier: Querier,
  viewer: Viewer,
  ids: readonly string[],
): Promise<(Endpoint | null)[]> {
  const asked = ids.filter((id) => isId('ep', id))
  if (asked.length === 0) return ids.map(() => null)
  const rows = await querier.query(endpointsById, { ...visibleRuns(viewer), ids: asked })
  const byId = new Map(rows.map((row) => [row.id, toEndpoint(row)]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** getEndpoint: null where the endpoint does not exist or the caller may not see it. */
export async function getEndpoint(ctx: RequestContext, id: string): Promise<Endpoint | null> {
  const [endpoint] = await getEndpointsById(ctx.deps.db, ctx.viewer, [id])
  return endpoint ?? null
}

/** The endpoint after a verb has moved it, read in the verb's transaction; 404 where the caller may not see it. */
export async function readEndpoint(querier: Querier, viewer: Viewer, id: string): Promise<Endpoint> {
  const [endpoint] = await getEndpointsById(querier, viewer, [id])
  if (!endpoint) throw notFound(`The endpoint ${id.slice(0, 64)}`)
  return endpoint
}
