/** Applies a report to its endpoint, in one transaction under the lock of the endpoint. */
import type { RequestContext } from '../../operation/context.ts'
import type { Usd } from '../../platform/money.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier, Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import type { ReadReport, ReportToApply } from '../../work/report.ts'
import { recordFinish } from '../../work/stop.ts'
import { settleEndpoint } from '../end/settle-endpoint.ts'
import { endpointJob } from '../endpoint-job.ts'
import type { HeldEndpoint } from '../endpoint-row.ts'
import { closeSessions, countSessions } from '../sessions/close-sessions.ts'
import {
  assertKnown,
  type ReplacedSession,
  type ReportEndpointInput,
  replacedSessions,
  type SessionState,
  secondsText,
} from './judge-report.ts'

const sessionColumns = columns({
  id: column.text('s.id'),
  status: column.enum('EndpointSessionStatus', 's.status'),
  chunksServed: column.int8('s.chunks_served'),
  gpuMs: column.int8('(s.gpu_seconds * 1000)::int8'),
})

const lockReported = statement({
  name: 'endpoint-sessions-reported',
  columns: sessionColumns,
  params: { endpointId: param.text(), ids: param.texts() },
  text: `select ${sessionColumns.sql} from endpoint_sessions s where s.endpoint_id = :endpointId
    and s.id = any(:ids::text[]) order by s.id for update`,
})

const replaceSessions = statement({
  name: 'endpoint-sessions-replace',
  params: {
    ids: param.texts(),
    chunks: param.int8s(),
    seconds: param.numerics(),
    p50: param.float8s<readonly (number | null)[]>(),
    p95: param.float8s<readonly (number | null)[]>(),
  },
  text: `update endpoint_sessions s set last_report_at = now(), chunks_served = said.chunks, gpu_seconds = said.seconds,
    service_ms_p50 = said.p50, service_ms_p95 = said.p95
    from unnest(:ids::text[], :chunks::int8[], :seconds::numeric[], :p50::float8[], :p95::float8[]) as said (id, chunks,
      seconds, p50, p95)
    where s.id = said.id`,
})

const update = statement({
  name: 'endpoint-report',
  params: {
    endpointId: param.text(),
    status: param.enum('EndpointStatus'),
    ended: param.bool(),
    costUsd: param.numeric.orNull<Usd>(),
    error: param.text.orNull(),
    logChunk: param.text.orNull(),
  },
  text: `update endpoints set status = :status::"EndpointStatus", heartbeat_at = now(), updated_at = now(),
    last_log_chunk = :logChunk,
      finished_at = case when :ended::boolean then now() end, cost_usd = :costUsd::numeric,
        error = coalesce(:error, error)
    where id = :endpointId and status = 'running'`,
})

/**
 * Replaces the numbers of its sessions, and writes the endpoint's columns; a report of an end also settles the
 * endpoint.
 */
export async function applyReport(
  ctx: RequestContext,
  tx: Tx,
  { input, job: endpoint, to }: ReportToApply<ReportEndpointInput, HeldEndpoint, never, ReadReport>,
): Promise<void> {
  if (input.sessions && input.sessions.length > 0) await replace(tx, endpoint, input.sessions)
  const ended = to !== 'running'
  const costUsd = ended ? await settleEndpoint(tx, endpoint, `endpoint_${to}`) : null
  const { error = null, logChunk = null } = input
  await tx.query(update, { endpointId: endpoint.id, status: to, ended, costUsd, error, logChunk })
  if (!ended) return
  const change = { before: { status: endpoint.status }, after: { status: to, costUsd, error } }
  await recordFinish(ctx, tx, endpointJob, { id: endpoint.id, ownerId: endpoint.ownerId, ...change })
}

async function replace(tx: Tx, endpoint: HeldEndpoint, reported: readonly SessionState[]): Promise<void> {
  const ids = reported.map(({ sessionId }) => sessionId)
  const stored = await tx.query(lockReported, { endpointId: endpoint.id, ids })
  assertKnown(reported, stored)
  const elapsedMs = Date.parse(endpoint.now) - Date.parse(endpoint.claimedAt ?? endpoint.now)
  const totalMs = Math.round(Number(endpoint.gpuSeconds) * 1000)
  const sessions = replacedSessions(reported, stored, { elapsedMs, totalMs })
  await store(tx, sessions)
  const sum = (of: readonly { readonly gpuMs: number; readonly chunksServed: number }[]) =>
    of.reduce((all, { gpuMs, chunksServed }) => ({ ms: all.ms + gpuMs, chunks: all.chunks + chunksServed }), {
      ms: 0,
      chunks: 0,
    })
  const [now, before] = [sum(sessions), sum(stored)]
  await countSessions(tx, endpoint.id, {
    chunksServed: now.chunks - before.chunks,
    gpuSeconds: secondsText(now.ms - before.ms),
  })
  await close(tx, endpoint.id, sessions)
}

/** After their last numbers are counted; once for each reason, of which a report has few. */
async function close(tx: Querier, endpointId: string, sessions: readonly ReplacedSession[]): Promise<void> {
  const closing = Map.groupBy(
    sessions.filter(({ closes }) => closes),
    ({ closedReason }) => closedReason,
  )
  for (const [reason, of] of closing)
    await closeSessions(tx, { endpointId, sessionIds: of.map(({ id }) => id), reason })
}

async function store(tx: Querier, sessions: readonly ReplacedSession[]): Promise<void> {
  await tx.query(replaceSessions, {
    ids: sessions.map(({ id }) => id),
    chunks: sessions.map(({ chunksServed }) => chunksServed),
    seconds: sessions.map(({ gpuMs }) => secondsText(gpuMs)),
    p50: sessions.map(({ serviceMsP50 }) => serviceMsP50),
    p95: sessions.map(({ serviceMsP95 }) => serviceMsP95),
  })
}
