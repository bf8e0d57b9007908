/**
 * reportEndpointSession: what a device measured, and the end of its session. Spec, "POST
 * /v1/endpoints/{endpoint_id}/sessions/{session_id}/report".
 */
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import { param, statement } from '../../store/statement.ts'
import { lockEndpoint } from '../endpoint-row.ts'
import { closeSessions, countSessions } from './close-sessions.ts'
import { type EndpointSession, findSessionOfDevice, lockSession, readSession } from './session-row.ts'
import { nextSession } from './session-state.ts'

/**
 * Numbers of the whole session, not of the time since the last report. Null or absent: the device has none to report,
 * and the last one stays.
 */
export interface SessionReport {
  readonly endpointId: string
  readonly sessionId: string
  readonly chunksApplied?: number | null
  readonly rttMsP50?: number | null
  readonly rttMsP95?: number | null
  readonly deadlineMisses?: number | null
  readonly degradedCount?: number | null
  readonly closed?: boolean | null
  /** Recorded with `closed`. */
  readonly closedReason?: string | null
}

const writeNumbers = statement({
  name: 'endpoint-session-report',
  params: {
    sessionId: param.text(),
    chunksApplied: param.int8.orNull(),
    rttMsP50: param.float8.orNull(),
    rttMsP95: param.float8.orNull(),
    deadlineMisses: param.int8.orNull(),
    degradedCount: param.int8.orNull(),
  },
  text: `update endpoint_sessions
    set last_report_at = now(), chunks_applied = coalesce(:chunksApplied::bigint, chunks_applied),
      rtt_ms_p50 = coalesce(:rttMsP50::float8, rtt_ms_p50), rtt_ms_p95 = coalesce(:rttMsP95::float8, rtt_ms_p95),
      deadline_misses = coalesce(:deadlineMisses::bigint, deadline_misses),
        degraded_count = coalesce(:degradedCount::bigint, degraded_count)
    where id = :sessionId`,
})

/**
 * Stores a device's report. Errors: 401, 403, 404 a session whose device the caller does not see, 409
 * `conflict.session_closed`.
 */
export function reportEndpointSession(ctx: RequestContext, input: SessionReport): Promise<EndpointSession> {
  const { endpointId, sessionId, closedReason = null } = input
  return guarded(
    ctx,
    () => findSessionOfDevice(ctx, input),
    (allowed) =>
      commitVerb(allowed, async (tx) => {
        await lockEndpoint(tx, endpointId)
        nextSession(input.closed ? 'close' : 'report', await lockSession(tx, sessionId))
        await tx.query(writeNumbers, {
          sessionId,
          chunksApplied: input.chunksApplied ?? null,
          rttMsP50: input.rttMsP50 ?? null,
          rttMsP95: input.rttMsP95 ?? null,
          deadlineMisses: input.deadlineMisses ?? null,
          degradedCount: input.degradedCount ?? null,
        })
        // Before it closes: the percentiles of an endpoint without open sessions are those of the last ones.
        await countSessions(tx, endpointId, {})
        if (input.closed) await closeSessions(tx, { endpointId, sessionIds: [sessionId], reason: closedReason })
        tx.afterCommit(() => allowed.deps.events.hint(endpointId))
        return readSession(tx, allowed.viewer, sessionId)
      }),
  )
}
