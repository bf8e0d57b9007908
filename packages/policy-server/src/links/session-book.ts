/**
 * The sessions of a server and their meters. Time on the model is shared: while n sessions have a link, each second of
 * each costs a n-th. A session is open from its first link until it is closed for good; its id is then kept until no
 * token can name it any more. Pure, with the clock given.
 */
import { TIMES_KEPT } from '../limits.ts'

/** A session as the hub is told. */
export interface SessionState {
  readonly session_id: string
  readonly state: 'open' | 'closed'
  readonly chunks_served: number
  readonly gpu_seconds: number
  readonly service_ms_p50: number | null
  readonly service_ms_p95: number | null
  readonly closed_reason?: string
}

interface Entry {
  readonly id: string
  readonly expiresAtMs: number
  chunks: number
  seconds: number
  readonly times: number[]
  hasLink: boolean
  closedReason: string | null
}

/** What survives the process. */
export interface StoredBook {
  readonly sessions: readonly (Omit<Entry, 'hasLink'> & { readonly times: readonly number[] })[]
  /** Closed ids, with the end of their tokens. */
  readonly closed: readonly (readonly [id: string, expiresAtMs: number])[]
}

/** Of a session that never had a link here, the end of its token is not known. */
const LONGEST_TOKEN_MS = 7 * 24 * 3_600_000

export type SessionBook = ReturnType<typeof openSessionBook>

const nothing: StoredBook = { sessions: [], closed: [] }

/** Sessions of `stored` have no link. `nowMs` is the time of day; `clockMs` never jumps, and counts what is billed. */
export function openSessionBook(nowMs: () => number, stored = nothing, clockMs = () => performance.now()) {
  const entries = new Map<string, Entry>(
    stored.sessions.map((entry) => [entry.id, { ...entry, times: [...entry.times], hasLink: false }]),
  )
  const closed = new Map<string, number>(stored.closed)
  const linked = () => [...entries.values()].filter(({ hasLink }) => hasLink)
  let countedMs = clockMs()
  let chunksServed = 0

  /** Shares the time since the last change. */
  const advance = () => {
    const passedMs = clockMs() - countedMs
    countedMs += passedMs
    const open = linked()
    for (const entry of open) entry.seconds += passedMs / 1000 / open.length
  }
  const forget = () => {
    for (const [id, expiresAtMs] of closed) if (expiresAtMs <= nowMs() && !entries.has(id)) closed.delete(id)
  }
  return {
    /** Whether a token of the session opens a link. */
    isClosed: (id: string) => closed.has(id),
    hasLink: (id: string) => entries.get(id)?.hasLink ?? false,
    /** Sessions that are not closed. */
    open: () => [...entries.values()].filter(({ closedReason }) => closedReason === null).map(({ id }) => id),
    chunksServed: () => chunksServed,
    link(id: string, expiresAtMs: number): void {
      advance()
      const fresh = { id, expiresAtMs, chunks: 0, seconds: 0, times: [], hasLink: true, closedReason: null }
      const entry = entries.get(id) ?? fresh
      entry.hasLink = true
      entries.set(id, entry)
    },
    unlink(id: string): void {
      advance()
      const entry = entries.get(id)
      if (entry) entry.hasLink = false
    },
    /** One answer that was sent, and how long the server had its observation. */
    served(id: string, ms: number): void {
      const entry = entries.get(id)
      if (!entry) return
      chunksServed += 1
      entry.chunks += 1
      entry.times[(entry.chunks - 1) % TIMES_KEPT] = ms
    },
    /** For good; the first reason stays. */
    close(id: string, reason: string): void {
      advance()
      const entry = entries.get(id)
      if (!entry || entry.closedReason !== null) return
      entry.hasLink = false
      entry.closedReason = reason
      closed.set(id, entry.expiresAtMs)
    },
    /** The hub has closed it: no token of it opens a link any more. */
    refuse(id: string): void {
      if (!entries.has(id) && !closed.has(id)) closed.set(id, nowMs() + LONGEST_TOKEN_MS)
    },
    /** Every session that the hub has not been told the end of. */
    states(): SessionState[] {
      advance()
      forget()
      return [...entries.values()].map(stateOf)
    },
    /** The hub has taken these states. */
    told(states: readonly SessionState[]): void {
      for (const { session_id: id, state } of states) if (state === 'closed') entries.delete(id)
    },
    stored(): StoredBook {
      advance()
      return { sessions: [...entries.values()], closed: [...closed] }
    },
  }
}

function stateOf({ id, chunks, seconds, times, closedReason }: Entry): SessionState {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? null
  return {
    session_id: id,
    state: closedReason === null ? 'open' : 'closed',
    chunks_served: chunks,
    gpu_seconds: Math.round(seconds * 1000) / 1000,
    service_ms_p50: at(0.5),
    service_ms_p95: at(0.95),
    ...(closedReason !== null && { closed_reason: closedReason.slice(0, 64) }),
  }
}
