/** Robot and model checks over `/v1` (spec, "Robot checks"). */
import { z } from 'zod'
import type { Caller } from './call.ts'
import {
  type ArtifactFile,
  artifactUploads,
  type CheckReportBody,
  checkPage,
  claimedCheck,
  type NewCheck,
  nextCheck,
  type Publication,
  type RemoteCheck,
  remoteCheck,
} from './check-shapes.ts'
import { type FollowOptions, followLog } from './follow-log.ts'
import { pages } from './pages.ts'
import type { Query } from './request.ts'
import { remoteHold } from './spend-shapes.ts'

/** Filters of the listing. */
export type CheckFilters = Omit<Query<'GET /v1/robot-checks'>, 'limit' | 'cursor'>

const checkOrHeld = z.union([remoteCheck, remoteHold])

/** The operations on checks, as functions of one caller. */
export function checkCalls(caller: Caller) {
  const { call } = caller
  const of = (checkId: string) => ({ path: { check_id: checkId } })

  /** Pages of at most 100 checks, newest first. */
  const list = (filters: CheckFilters) =>
    pages<RemoteCheck>(caller.url, (cursor) =>
      call('GET /v1/robot-checks', checkPage, { query: { limit: 100, ...filters, cursor } }),
    )

  return {
    list,
    get: (checkId: string) => call('GET /v1/robot-checks/{check_id}', remoteCheck, of(checkId)),
    /** The check, or the spend hold of an agent's hosted check: `isHeld` tells. */
    create: (check: NewCheck) => call('POST /v1/robot-checks', checkOrHeld, { body: check }),
    /** The events of a check's log; a broken connection is resumed. */
    follow: (checkId: string, options: FollowOptions) =>
      followLog(
        caller,
        (query, headers, within) =>
          caller.stream('GET /v1/robot-checks/{check_id}/logs', { ...of(checkId), query }, headers, within),
        options,
      ),
    cancel: (checkId: string) => call('POST /v1/robot-checks/{check_id}/cancel', remoteCheck, of(checkId)),
    publish: (checkId: string, publication: Publication) =>
      call('POST /v1/robot-checks/{check_id}/publish', remoteCheck, { ...of(checkId), body: publication }),
    /** A repeat under the same key returns the same claim while it lasts, with fresh URLs. */
    claim: (checkId: string, worker: string, key: string, signal?: AbortSignal) =>
      call('POST /v1/robot-checks/{check_id}/claim', claimedCheck, { ...of(checkId), body: { worker }, key, signal }),
    /** Claims the oldest queued check that the key may claim; null if none appears within `waitS` (at most 30). */
    claimNext: (worker: string, waitS: number, owner: string | null, key: string, signal?: AbortSignal) =>
      call('POST /v1/robot-checks/claim-next', nextCheck, { body: { worker, wait_s: waitS, owner }, key, signal }),
    presignArtifacts: async (checkId: string, files: readonly ArtifactFile[]) =>
      (await call('POST /v1/robot-checks/{check_id}/artifacts', artifactUploads, { ...of(checkId), body: { files } }))
        .uploads,
    /** A repeat under the same key changes nothing. */
    report: (checkId: string, report: CheckReportBody, key?: string) =>
      call('POST /v1/robot-checks/{check_id}/report', remoteCheck, { ...of(checkId), body: report, key }),
  }
}
