/**
 * An endpoint session as the graph shows it, and as verbs that move it see it. Spec, "EndpointSession". Lock order:
 * endpoints, approvals, sessions.
 */

import { isId } from '@hub/formats/ids'
import { deviceVisibleSql } from '../../auth/device-policy.ts'
import { billedViewer, billedVisibleSql, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'

/**
 * What a session costs: nothing on a worker. On a priced executor what its ledger row says, and once it is closed,
 * before its endpoint ends, what that will be unless the server corrects its numbers.
 */
const costSql = `case when not s.priced then 0 when s.cost_usd is not null then s.cost_usd
  when s.status = 'closed' then round(s.gpu_seconds * u.rate_usd_per_hour / 3600, 4) end`

/** Of `sessionTables`. */
export const sessionColumns = columns({
  id: column.text('s.id'),
  endpointId: column.text('s.endpoint_id'),
  deviceId: column.text.orNull('s.device_id'),
  approvalId: column.text.orNull('s.approval_id'),
  status: column.enum('EndpointSessionStatus', 's.status'),
  openedAt: column.timestamptz('s.opened_at'),
  expiresAt: column.timestamptz('s.expires_at'),
  closedAt: column.timestamptz.orNull('s.closed_at'),
  closedReason: column.text.orNull('s.closed_reason'),
  lastReportAt: column.timestamptz.orNull('s.last_report_at'),
  chunksServed: column.int8('s.chunks_served'),
  gpuSeconds: column.float8('s.gpu_seconds::float8'),
  serviceMsP50: column.float8.orNull('s.service_ms_p50'),
  serviceMsP95: column.float8.orNull('s.service_ms_p95'),
  chunksApplied: column.int8.orNull('s.chunks_applied'),
  rttMsP50: column.float8.orNull('s.rtt_ms_p50'),
  rttMsP95: column.float8.orNull('s.rtt_ms_p95'),
  deadlineMisses: column.int8.orNull('s.deadline_misses'),
  degradedCount: column.int8.orNull('s.degraded_count'),
  costUsd: column.float8.orNull(`(${costSql})::float8`),
  priced: column.bool('s.priced'),
  createdAt: column.timestamptz('s.created_at'),
})

export const sessionTables = 'endpoint_sessions s join endpoints u on u.id = s.endpoint_id'

export type EndpointSession = RowOf<typeof sessionColumns>

/** A viewer of the endpoint or of the device sees the session. */
const sessionsById = statement({
  name: 'endpoint-sessions-by-id',
  exact: 'verb-answer',
  columns: sessionColumns,
  params: { ...billedViewer, ids: param.texts() },
  text: `select ${sessionColumns.sql} from ${sessionTables} left join devices d on d.id = s.device_id
    where s.id = any(:ids::text[]) and (${billedVisibleSql('u')} or ${deviceVisibleSql('d')})`,
})

/** Sessions by id in the order asked, null where invisible; one statement for any number. */
export async function getSessionsById(
  querier: Querier,
  viewer: Viewer,
  ids: readonly string[],
): Promise<(EndpointSession | null)[]> {
  const asked = ids.filter((id) => isId('esess', id))
  const rows = asked.length === 0 ? [] : await querier.query(sessionsById, { ...visibleRuns(viewer), ids: asked })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** The session after a verb has moved it, read in the verb's transaction. */
export async function readSession(tx: Querier, viewer: Viewer, id: string): Promise<EndpointSession> {
  const [session] = await getSessionsById(tx, viewer, [id])
  if (!session) throw notFound(`The session ${id.slice(0, 64)}`)
  return session
}

const heldColumns = columns({ id: column.text('s.id'), status: column.enum('EndpointSessionStatus', 's.status') })

/** Only the device decides who reports: its driver need not see the endpoint. */
const ofDevice = statement({
  name: 'endpoint-session-of-device',
  exact: 'each-request',
  columns: heldColumns,
  params: {
    accountIds: billedViewer.accountIds,
    repoIds: billedViewer.repoIds,
    endpointId: param.text(),
    sessionId: param.text(),
  },
  text: `select ${heldColumns.sql} from endpoint_sessions s join devices d on d.id = s.device_id
    where s.id = :sessionId and s.endpoint_id = :endpointId and ${deviceVisibleSql('d')}`,
})

const lockById = statement({
  name: 'endpoint-session-lock',
  columns: heldColumns,
  params: { id: param.text() },
  text: `select ${heldColumns.sql} from endpoint_sessions s where s.id = :id for update`,
})

/** The session of an endpoint that a device reports; 404 where the caller does not see the device. */
export async function findSessionOfDevice(
  ctx: RequestContext,
  { endpointId, sessionId }: { readonly endpointId: string; readonly sessionId: string },
): Promise<void> {
  const { accountIds, repoIds } = visibleRuns(ctx.viewer)
  const values = { accountIds, repoIds, endpointId, sessionId }
  const [session] = isId('esess', sessionId) ? await ctx.deps.db.query(ofDevice, values) : []
  if (!session) throw notFound(`The session ${sessionId.slice(0, 64)}`)
}

/** Locks the session's row until the transaction ends; its endpoint's row is locked before. */
export async function lockSession(tx: Querier, id: string): Promise<RowOf<typeof heldColumns>> {
  const [session] = await tx.query(lockById, { id })
  if (!session) throw notFound(`The session ${id}`)
  return session
}
