/** Training runs over `/v1` (spec, "Runs"). */
import { z } from 'zod'
import type { Caller } from './call.ts'
import { type FollowOptions, followLog } from './follow-log.ts'
import {
  checkpointList,
  claimedRun,
  createdRun,
  type FencedReport,
  type GateReport,
  type NewRun,
  type RemoteRun,
  remoteRun,
  runPage,
} from './run-shapes.ts'

/** The operations on runs, as functions of one caller. */
export function runCalls(caller: Caller) {
  const { call } = caller
  const path = (runId: string) => `/v1/runs/${encodeURIComponent(runId)}`

  /** Pages of at most 100 runs, newest first. */
  async function* list(filters: Readonly<Record<string, string>>): AsyncGenerator<RemoteRun[]> {
    let cursor: string | null = null
    do {
      const query = new URLSearchParams({ limit: '100', ...filters })
      if (cursor !== null) query.set('cursor', cursor)
      const page: Awaited<ReturnType<typeof pageOf>> = await pageOf(query)
      yield page.items
      if (page.next_cursor === cursor) return
      cursor = page.next_cursor
    } while (cursor !== null)
  }
  const pageOf = (query: URLSearchParams) => call('GET', `/v1/runs?${query}`, runPage)

  return {
    list,
    get: (runId: string) => call('GET', path(runId), remoteRun),
    create: (run: NewRun, key?: string) => call('POST', '/v1/runs', createdRun, run, { key }),
    claim: (runId: string, worker: string) => call('POST', `${path(runId)}/claim`, remoteRun, { worker }),
    /** The oldest queued run that the key may claim, or null when none came within `waitS` (30 at most). */
    claimNext: (worker: string, waitS: number, owner?: string) =>
      call('POST', '/v1/runs/claim-next', claimedRun, { worker, wait_s: waitS, owner }),
    report: (runId: string, report: FencedReport) => call('POST', `${path(runId)}/report`, remoteRun, report),
    recordGateResults: (runId: string, report: GateReport) =>
      call('POST', `${path(runId)}/gate-results`, remoteRun, report),
    cancel: (runId: string) => call('POST', `${path(runId)}/cancel`, remoteRun, {}),
    /** An ended run and what it kept; for good. */
    delete: (runId: string) => call('DELETE', path(runId), z.null()),
    checkpointSteps: async (runId: string): Promise<number[]> =>
      (await call('GET', `${path(runId)}/checkpoints`, checkpointList)).items.map(({ step }) => step),
    /** The events of a run's log; connections that break are made again where they broke. */
    follow: (runId: string, options: FollowOptions) => followLog(caller, path(runId), options),
  }
}
