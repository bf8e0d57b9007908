/** Training runs over `/v1` (spec, "Runs"). */
import { z } from 'zod'
import type { Caller } from './call.ts'
import { type FollowOptions, followLog } from './follow-log.ts'
import { pages } from './pages.ts'
import { ProblemError } from './problem.ts'
import type { Query } from './request.ts'
import {
  checkpointList,
  claimedRun,
  createdRun,
  type FencedReport,
  type GateReport,
  type MediaReport,
  mediaPage,
  type NewRun,
  type RemoteMedia,
  type RemoteRun,
  type RemoteSummary,
  remoteRun,
  runEnvironment,
  runPage,
  runSummary,
  type StartedRun,
} from './run-shapes.ts'
import { remoteHold } from './spend-shapes.ts'

/** Filters of the run listing. */
export type RunFilters = Omit<Query<'GET /v1/runs'>, 'limit' | 'cursor'>

/** Which media are listed. */
export type MediaFilters = Omit<Query<'GET /v1/runs/{run_id}/media'>, 'limit' | 'cursor'>

const madeKey = z.looseObject({ makeRunKey: z.looseObject({ token: z.string() }) })
const makeKeyText = 'mutation ($input: MakeRunKeyInput!) { makeRunKey(input: $input) { token } }'

const createdOrHeld = z.union([createdRun, remoteHold])

/** The operations on runs, as functions of one caller. */
export function runCalls(caller: Caller) {
  const { call } = caller
  const of = (runId: string) => ({ path: { run_id: runId } })

  /** Pages of at most `limit` runs (1 to 100), newest first. */
  const list = (filters: RunFilters, limit = 100) =>
    pages<RemoteRun>(caller.url, (cursor) => call('GET /v1/runs', runPage, { query: { limit, ...filters, cursor } }))

  return {
    list,
    get: (runId: string) => call('GET /v1/runs/{run_id}', remoteRun, of(runId)),
    /** What its metrics, or those with these keys, come to; nothing from an older hub, which has no summaries. */
    summary: async (runId: string, keys?: readonly string[]): Promise<RemoteSummary[]> => {
      try {
        const query = keys && { keys: [...keys] }
        return (await call('GET /v1/runs/{run_id}/summary', runSummary, { ...of(runId), query })).summary
      } catch (error) {
        if (error instanceof ProblemError && error.status === 404) return []
        throw error
      }
    },
    /** What it was made with; null where that is not known, also of an older hub. */
    environment: async (runId: string): Promise<Readonly<Record<string, unknown>> | null> => {
      try {
        return (await call('GET /v1/runs/{run_id}/environment', runEnvironment, of(runId))).environment
      } catch (error) {
        if (error instanceof ProblemError && error.status === 404) return null
        throw error
      }
    },
    /** The run, or the spend hold of an agent's hosted run: `isHeld` tells. */
    create: (run: NewRun, key?: string) => call('POST /v1/runs', createdOrHeld, { body: run, key }),
    /** Creates a run that this process trains, and claims it; a repeat under the same key returns the same run. */
    start: (run: StartedRun, key: string, signal?: AbortSignal) =>
      call('POST /v1/runs/start', createdRun, { body: run, key, signal }),
    /**
     * Claims the run; a repeat under the same key returns the same claim while it lasts. `callId`: of a hosted run,
     * which its own call claims.
     */
    claim: (runId: string, worker: string, callId: string | null, key?: string, signal?: AbortSignal) =>
      call('POST /v1/runs/{run_id}/claim', remoteRun, {
        ...of(runId),
        body: { worker, hosted_call_id: callId },
        key,
        signal,
      }),
    /** Claims the oldest queued run that the key may claim; null if none appears within `waitS` (at most 30). */
    claimNext: (worker: string, waitS: number, owner?: string, key?: string, signal?: AbortSignal) =>
      call('POST /v1/runs/claim-next', claimedRun, { body: { worker, wait_s: waitS, owner }, key, signal }),
    report: (runId: string, report: FencedReport) =>
      call('POST /v1/runs/{run_id}/report', remoteRun, { ...of(runId), body: report }),
    /** A key for what the run's command pushes, in place of the one before. It is dead once the run has ended. */
    makeKey: async (runId: string, attempt: number): Promise<string> =>
      (await caller.graph(makeKeyText, { input: { runId, attempt } }, madeKey)).makeRunKey.token,
    recordGateResults: (runId: string, report: GateReport) =>
      call('POST /v1/runs/{run_id}/gate-results', remoteRun, { ...of(runId), body: report }),
    /** Stores at most 100 entries of media, whose files are in the run's output repo already; safe to repeat. */
    recordMedia: (runId: string, report: MediaReport) =>
      call('POST /v1/runs/{run_id}/media', remoteRun, { ...of(runId), body: report }),
    /** Pages of at most 100 entries, by key, step and index. */
    media: (runId: string, filters: MediaFilters = {}) =>
      pages<RemoteMedia>(caller.url, (cursor) =>
        call('GET /v1/runs/{run_id}/media', mediaPage, { ...of(runId), query: { limit: 100, ...filters, cursor } }),
      ),
    cancel: (runId: string) => call('POST /v1/runs/{run_id}/cancel', remoteRun, of(runId)),
    checkpointSteps: async (runId: string): Promise<number[]> =>
      (await call('GET /v1/runs/{run_id}/checkpoints', checkpointList, of(runId))).items.map(({ step }) => step),
    /** The events of a run's log; a broken connection is resumed. */
    follow: (runId: string, options: FollowOptions) =>
      followLog(
        caller,
        (query, headers, within) =>
          caller.stream('GET /v1/runs/{run_id}/logs', { ...of(runId), query }, headers, within),
        options,
      ),
  }
}
