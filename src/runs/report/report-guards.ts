/** Whether a report may be stored, and what of it is new: decided before its objects are written, and again under the run's lock. Pure. */
import { isClaimer, type JobActor } from '../../work/held-job.ts'
import { isStored } from '../../work/report-numbers.ts'
import { nextStatus } from '../next-status.ts'
import type { RunTrigger } from '../run-state.ts'
import type { FreshParts, ReportRunInput } from './report-input.ts'
import type { ReportedRun } from './report-rows.ts'

const triggers = { succeeded: 'succeed', failed: 'fail', canceled: 'confirmCancel' } as const

/**
 * What of a report to store; null where all that it numbers was stored before, in this attempt: a report is stored whole, so then it was this one. The report
 * that ended the run is such a repeat too, so that its answer can be had again. 409 where the caller is not the run's holder in this attempt or the run has
 * ended, 422 for a `canceled` without a cancel request.
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
