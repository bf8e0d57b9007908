/** Spend holds, and what an account spends, over `/v1` (spec, "Spend holds"). */
import type { Caller } from './call.ts'
import { pages } from './pages.ts'
import type { Query } from './request.ts'
import { holdPage, type NewCap, type RemoteHold, remoteHold, spendSummary } from './spend-shapes.ts'

/** Filters of the listing of holds. */
export type HoldFilters = Omit<Query<'GET /v1/spend/holds'>, 'limit' | 'cursor'>

/** The operations on spend, as functions of one caller. */
export function spendCalls(caller: Caller) {
  const { call } = caller
  const of = (holdId: string) => ({ path: { hold_id: holdId } })
  return {
    /** Pages of at most 100 holds, newest first. */
    holds: (filters: HoldFilters) =>
      pages<RemoteHold>(caller.url, (cursor) =>
        call('GET /v1/spend/holds', holdPage, { query: { limit: 100, ...filters, cursor } }),
      ),
    hold: (holdId: string) => call('GET /v1/spend/holds/{hold_id}', remoteHold, of(holdId)),
    /** Only with a session: no key of any scope approves. */
    approve: (holdId: string) => call('POST /v1/spend/holds/{hold_id}/approve', remoteHold, of(holdId)),
    /** Only with a session. */
    deny: (holdId: string, reason: string) =>
      call('POST /v1/spend/holds/{hold_id}/deny', remoteHold, { ...of(holdId), body: { reason } }),
    cancel: (holdId: string) => call('POST /v1/spend/holds/{hold_id}/cancel', remoteHold, of(holdId)),
    /** `month`: such as `2026-11`; the current one by default. */
    summary: (query: Query<'GET /v1/spend'>) => call('GET /v1/spend', spendSummary, { query }),
    /** Only with a session of the user or of an owner of the org. */
    setCap: (cap: NewCap) => call('PUT /v1/spend/cap', spendSummary, { body: cap }),
  }
}
