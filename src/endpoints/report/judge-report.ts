/**
 * Judges a server's report: where it leads, and what becomes of the sessions whose numbers it replaces. Pure. Spec,
 * "EndpointSessionState"; contract, "Endpoint reports".
 */
import { type ErrorItem, HubError } from '../../platform/errors.ts'
import type { JobActor } from '../../work/held-job.ts'
import type { ReadReport } from '../../work/report.ts'
import { type HeldEndpoint, nextStatus } from '../endpoint-row.ts'
import type { EndpointStatus } from '../endpoint-state.ts'

/** All but the id is optional; null is absent. */
export interface ReportEndpointInput {
  readonly endpointId: string
  readonly status?: 'running' | 'stopped' | 'failed' | null
  readonly sessions?: readonly SessionState[] | null
  readonly error?: string | null
  readonly logChunk?: string | null
}

const triggers = { running: 'report', stopped: 'close', failed: 'fail' } as const

/** 409 if another credential claimed the endpoint, or the endpoint has ended. */
export function nextOf(endpoint: HeldEndpoint, { status }: ReportEndpointInput, actor: JobActor): EndpointStatus {
  return nextStatus(triggers[status ?? 'running'], endpoint, actor)
}

/** An endpoint keeps no log and no objects: its last log chunk is a column. */
export const readReport = (): ReadReport => ({ objects: {}, addedBytes: 0 })

/** Absent numbers are 0, as the spec has it; each report says everything of a session. */
export interface SessionState {
  readonly sessionId: string
  readonly state?: 'open' | 'closed' | null
  readonly chunksServed?: number | null
  /** Seconds. */
  readonly gpuSeconds?: number | null
  readonly serviceMsP50?: number | null
  readonly serviceMsP95?: number | null
  readonly closedReason?: string | null
}

/** A stored session, its time in whole milliseconds. */
export interface StoredSession {
  readonly id: string
  readonly status: 'open' | 'closed'
  readonly chunksServed: number
  readonly gpuMs: number
}

/** 422 naming each session that the report names twice, or that is none of the endpoint's. */
export function assertKnown(reported: readonly SessionState[], stored: readonly StoredSession[]): void {
  const known = new Set(stored.map(({ id }) => id))
  const seen = new Set<string>()
  const items = reported.flatMap(({ sessionId }, place): ErrorItem[] => {
    const isTwice = seen.has(sessionId)
    seen.add(sessionId)
    const loc = ['sessions', place, 'sessionId']
    if (isTwice) return [{ type: 'validation.duplicate', detail: `${sessionId} is named twice.`, loc }]
    if (known.has(sessionId)) return []
    return [{ type: 'validation.value', detail: `${sessionId} is not a session of this endpoint.`, loc }]
  })
  const [first] = items
  if (first)
    throw new HubError(first.type as 'validation.value', items.map(({ detail }) => detail).join(' '), { items })
}

export interface ReplacedSession {
  readonly id: string
  readonly closes: boolean
  readonly chunksServed: number
  readonly gpuMs: number
  readonly serviceMsP50: number | null
  readonly serviceMsP95: number | null
  readonly closedReason: string | null
}

/**
 * What is stored of the reported sessions. All sessions of an endpoint together never have more GPU time than the hub's
 * own clock counts since the claim: in the order of sessions, each gets of what it reports as much as is left next to
 * those that were not reported. `elapsedMs` is that time, `totalMs` what is stored of all sessions.
 */
export function replacedSessions(
  reported: readonly SessionState[],
  stored: readonly StoredSession[],
  { elapsedMs, totalMs }: { readonly elapsedMs: number; readonly totalMs: number },
): ReplacedSession[] {
  const byId = new Map(stored.map((session) => [session.id, session]))
  let left = Math.max(0, elapsedMs - (totalMs - stored.reduce((sum, { gpuMs }) => sum + gpuMs, 0)))
  return reported
    .toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1))
    .map((session) => {
      const gpuMs = Math.min(Math.round((session.gpuSeconds ?? 0) * 1000), left)
      left -= gpuMs
      const closes = session.state === 'closed' && byId.get(session.sessionId)?.status === 'open'
      return {
        id: session.sessionId,
        closes,
        chunksServed: session.chunksServed ?? 0,
        gpuMs,
        serviceMsP50: session.serviceMsP50 ?? null,
        serviceMsP95: session.serviceMsP95 ?? null,
        closedReason: closes ? (session.closedReason ?? null) : null,
      }
    })
}

/** Milliseconds as seconds with three decimals, as PostgreSQL's numeric reads them. */
export function secondsText(ms: number): string {
  const digits = String(Math.abs(ms)).padStart(4, '0')
  return `${ms < 0 ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`
}
