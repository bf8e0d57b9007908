/**
 * Tells the hub every few seconds what the sessions did, and learns which are closed and whether to stop. Each report
 * replaces the last one, so a lost one costs nothing.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { failureLine, ProblemError } from '@hub/client/internal'
import type { SessionBook, SessionState } from './links/session-book.ts'
import type { EndpointHub, EndpointReport, ReportedEndpoint } from './served-endpoint.ts'

export interface Reporting {
  readonly hub: EndpointHub
  readonly endpoint: string
  readonly book: SessionBook
  /** Lines since the last report. */
  readonly takeLog: () => string
  /** One report, with its retries. */
  readonly reportWaitMs: number
  readonly logLine: (line: string) => void
}

/** Spec, "Limits". */
const MAX_SESSIONS = 200
const MAX_ERROR = 4_000
const MAX_LOG = 65_536

/** Reports all sessions. Rejects with the client's errors; a `ProblemError` for a report that the hub refuses. */
export async function report(
  { hub, endpoint, book, takeLog }: Reporting,
  given: Pick<EndpointReport, 'status'> & { readonly error?: string | null },
  signal: AbortSignal,
): Promise<ReportedEndpoint> {
  const states = book.states()
  const log = takeLog().slice(-MAX_LOG)
  const groups: SessionState[][] = []
  for (let at = 0; at < states.length; at += MAX_SESSIONS) groups.push(states.slice(at, at + MAX_SESSIONS))
  const last = groups.pop() ?? []
  const closed: string[] = []
  for (const sessions of groups) {
    closed.push(...(await hub.report(endpoint, { status: 'running', sessions }, signal)).closed_sessions)
    book.told(sessions)
  }
  const answer = await hub.report(
    endpoint,
    {
      status: given.status,
      sessions: last,
      ...(given.error && { error: given.error.slice(0, MAX_ERROR) }),
      ...(log !== '' && { log_chunk: log }),
    },
    signal,
  )
  book.told(last)
  return { ...answer, closed_sessions: [...closed, ...answer.closed_sessions] }
}

export interface LoopEvents {
  /** After each report. */
  readonly reported: (answer: ReportedEndpoint) => void
}

/**
 * Reports until the hub asks to stop (`stop`), or has ended the endpoint or no longer takes its reports (the reason),
 * or `stop` aborts (null).
 */
export async function reportUntil(
  reporting: Reporting,
  everyMs: number,
  stop: AbortSignal,
  { reported }: LoopEvents,
): Promise<{ readonly kind: 'stop' } | { readonly kind: 'refused'; readonly why: string } | null> {
  let isAway = false
  while (!stop.aborted) {
    try {
      const bounded = AbortSignal.any([stop, AbortSignal.timeout(reporting.reportWaitMs)])
      const answer = await report(reporting, { status: 'running' }, bounded)
      if (isAway) reporting.logLine('the hub answers again')
      isAway = false
      reported(answer)
      if (answer.stop_requested_at !== null) return { kind: 'stop' }
    } catch (error) {
      if (stop.aborted) break
      if (error instanceof ProblemError && isFinal(error.status)) return { kind: 'refused', why: failureLine(error) }
      if (!isAway)
        reporting.logLine(`the hub does not answer, sessions go on until their tokens expire: ${failureLine(error)}`)
      isAway = true
    }
    await delay(everyMs, undefined, { signal: stop }).catch(() => {})
  }
  return null
}

const isFinal = (status: number) => [401, 403, 404, 409, 422].includes(status)
