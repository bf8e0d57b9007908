/** Decides whether a report may be stored and which parts are new: before its objects are written, and a second time under the run's lock. Pure. */
import { isClaimer, type JobActor } from '../../work/held-job.ts'
import { isStored } from '../../work/report-numbers.ts'
import { nextStatus } from '../next-status.ts'
import type { RunTrigger } from '../run-state.ts'
import type { FreshParts, ReportRunInput } from './report-input.ts'
import type { ReportedRun } from './report-rows.ts'

const triggers = { succeeded: 'succeed', failed: 'fail', canceled: 'confirmCancel' } as const

/**
 * The parts of a report to store. Null for a duplicate: all numbered parts are already stored in this attempt, and reports are stored as a whole. A duplicate
 * of the report that ended the run is accepted too, so that the runner can retry it. 409 if the caller is not the run's holder in this attempt or the run
 * has ended, 422 for a `canceled` without a cancel request.
 */
export function freshParts(run: ReportedRun, input: ReportRunInput, actor: JobActor): FreshParts | null {
  const { logSeq = null, metricsSeq = null, status = null } = input
  const log = logSeq === null || !isStored({ last: run.clientLogSeq, gaps: run.clientLogGaps }, logSeq)
  const metrics =
    metricsSeq === null || !isStored({ last: run.clientMetricsSeq, gaps: run.clientMetricsGaps }, metricsSeq)
  const isNumbered = logSeq !== null || metricsSeq !== null
  const isKnown = isNumbered && (logSeq === null || !log) && (metricsSeq === null || !metrics)
  if (isKnown && isClaimer(run, actor) && (run.status === 'running' || run.status === status)) return null
  const trigger: RunTrigger = status ? triggers[status] : 'report'
  nextStatus(trigger, run, actor)
  return { log, metrics }
}
