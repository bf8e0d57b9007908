/** Closes sessions, and keeps the sums that an endpoint has of its sessions. The endpoint's row is locked before. */
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'

const idColumn = columns({ id: column.text('s.id') })
const closeOpen = statement({
  name: 'endpoint-sessions-close',
  columns: idColumn,
  params: {
    endpointId: param.text(),
    /** Null: all of the endpoint. */
    sessionIds: param.texts.orNull(),
    /** Null: of any approval. */
    approvalId: param.text.orNull(),
    reason: param.text.orNull(),
  },
  text: `update endpoint_sessions s set status = 'closed', closed_at = now(), closed_reason = :reason
    where s.endpoint_id = :endpointId and s.status = 'open' and (:sessionIds::text[] is null or s.id = any(:sessionIds))
      and (:approvalId::text is null or s.approval_id = :approvalId)
    returning ${idColumn.sql}`,
})

const countSums = statement({
  name: 'endpoint-sessions-count',
  params: {
    endpointId: param.text(),
    opened: param.int4(),
    closed: param.int4(),
    chunksServed: param.int8(),
    gpuSeconds: param.numeric<number | string>(),
  },
  text: `update endpoints u set sessions_open = sessions_open + :opened::int - :closed::int,
    sessions_total = sessions_total + :opened::int,
      chunks_served = chunks_served + :chunksServed::bigint, gpu_seconds = gpu_seconds + :gpuSeconds::numeric,
      service_ms_p95 = coalesce(worst.service, u.service_ms_p95), rtt_ms_p95 = coalesce(worst.rtt, u.rtt_ms_p95),
        updated_at = now()
    from (select max(service_ms_p95) as service, max(rtt_ms_p95) as rtt from endpoint_sessions
      where endpoint_id = :endpointId and status = 'open') worst
    where u.id = :endpointId`,
})

/** How the sums of an endpoint change; what is absent is 0. Seconds as PostgreSQL's numeric reads them. */
export interface SessionChange {
  readonly opened?: number
  readonly closed?: number
  readonly chunksServed?: number
  readonly gpuSeconds?: number | string
}

/**
 * Adds to the sums of an endpoint, and takes the percentiles of its open sessions again; of the last ones that were
 * open when none is. Every transaction that changes a session's numbers calls it after the change, and before it closes
 * the session.
 */
export async function countSessions(tx: Querier, endpointId: string, change: SessionChange): Promise<void> {
  const { opened = 0, closed = 0, chunksServed = 0, gpuSeconds = 0 } = change
  await tx.query(countSums, { endpointId, opened, closed, chunksServed, gpuSeconds })
}

export interface ClosedSessions {
  readonly endpointId: string
  /** Absent: all open ones of the endpoint. */
  readonly sessionIds?: readonly string[]
  /** Absent: of any approval. */
  readonly approvalId?: string
  readonly reason: string | null
}

/** Closes the open ones among these sessions and counts them; returns their ids. */
export async function closeSessions(
  tx: Querier,
  { endpointId, sessionIds, approvalId, reason }: ClosedSessions,
): Promise<string[]> {
  const which = { endpointId, sessionIds: sessionIds ?? null, approvalId: approvalId ?? null, reason }
  const ids = (await tx.query(closeOpen, which)).map(({ id }) => id)
  if (ids.length > 0) await countSessions(tx, endpointId, { closed: ids.length })
  return ids
}
