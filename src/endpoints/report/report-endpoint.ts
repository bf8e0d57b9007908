/**
 * reportEndpoint (spec, "POST /v1/endpoints/{endpoint_id}/report"): the server's one way to write after its claim,
 * every few seconds.
 */
import type { RequestContext, Viewer } from '../../operation/context.ts'
import type { Usd } from '../../platform/money.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier, Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { type ReadReport, type ReportKind, type ReportToApply, reportJob } from '../../work/report.ts'
import { recordFinish } from '../../work/stop.ts'
import { mayWorkOn } from '../claim/claim-endpoint.ts'
import { settleEndpoint } from '../end/settle-endpoint.ts'
import { endpointJob } from '../endpoint-job.ts'
import { type HeldEndpoint, lockEndpoint } from '../endpoint-row.ts'
import type { Endpoint } from '../endpoint-shape.ts'
import { readEndpoint } from '../read/get-endpoint.ts'
import { closeSessions, countSessions } from '../sessions/close-sessions.ts'
import {
  assertKnown,
  nextOf,
  type ReplacedSession,
  type ReportEndpointInput,
  readReport,
  replacedSessions,
  type SessionState,
  secondsText,
} from './judge-report.ts'

/**
 * The endpoint, with the ids of closed sessions whose tokens have not expired: its server lets no device in with them.
 */
export interface ReportedEndpoint extends Endpoint {
  readonly closedSessions: readonly string[]
}

/**
 * Sessions of which a device may still hold a token that their server accepts; as many as a server has open, over and
 * over.
 */
const MAX_CLOSED = 1000

const idColumn = columns({ id: column.text('s.id') })

const closedBefore = statement({
  name: 'endpoint-sessions-closed',
  exact: 'in-transaction',
  columns: idColumn,
  params: { endpointId: param.text() },
  text: `select ${idColumn.sql} from endpoint_sessions s where s.endpoint_id = :endpointId and s.status = 'closed' and s.expires_at > now()
    order by s.closed_at desc, s.id desc limit ${MAX_CLOSED}`,
})

async function show(querier: Querier, viewer: Viewer, endpointId: string): Promise<ReportedEndpoint> {
  const endpoint = await readEndpoint(querier, viewer, endpointId)
  const closedSessions = (await querier.query(closedBefore, { endpointId })).map(({ id }) => id)
  return { ...endpoint, closedSessions }
}

const endpointReport: ReportKind<
  ReportEndpointInput,
  HeldEndpoint,
  HeldEndpoint,
  never,
  ReturnType<typeof readReport>,
  ReportedEndpoint
> = {
  find: async (ctx, { endpointId }) => (await mayWorkOn(ctx, endpointId)).endpoint,
  // A report replaces what is stored, so that a repeated one changes nothing.
  numbersOf: () => ({}),
  next: nextOf,
  read: async () => readReport(),
  lock: (tx, { endpointId }) => lockEndpoint(tx, endpointId),
  apply: applyReport,
  show,
}

/**
 * Returns the endpoint. Errors, which store nothing: 401, 403, 404, 409 `conflict.not_claimer`, `conflict.terminal`,
 * 422 a session that is none of the endpoint's, or named twice.
 */
export function reportEndpoint(ctx: RequestContext, input: ReportEndpointInput): Promise<ReportedEndpoint> {
  return reportJob(ctx, endpointReport, input)
}

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
async function applyReport(
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
