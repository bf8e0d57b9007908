/** Whether a report may be stored: checked before its objects are written, and again under the run's lock. Pure. */
import type { Credentialed } from '../../operation/context.ts'
import { invalid } from '../../platform/errors.ts'
import { isStored } from '../../work/report-numbers.ts'
import { nextStatus, type RunActor, runFacts } from '../run-row.ts'
import { decideRun, type RunTrigger } from '../run-state.ts'
import type { ReadReport, ReportRunInput } from './report-input.ts'
import type { ReportedRun } from './report-rows.ts'

const actorOf = (viewer: Credentialed, fence: number): RunActor => ({
  credentialId: viewer.credentialId,
  attempt: fence,
})

/**
 * Whether all that the report numbers was stored before, in this attempt: a report is stored whole, so then it was this one. The report that ended the run is
 * a repeat too, so that its answer can be had again.
 */
export function isRepeat(viewer: Credentialed, run: ReportedRun, input: ReportRunInput, fence: number): boolean {
  const { logSeq = null, metricsSeq = null, status = null } = input
  if (!runFacts(run, actorOf(viewer, fence)).isClaimer || (logSeq === null && metricsSeq === null)) return false
  if (run.status !== 'running' && run.status !== status) return false
  return (logSeq === null || hasLog(run, logSeq)) && (metricsSeq === null || hasMetrics(run, metricsSeq))
}

const hasLog = (run: ReportedRun, number: number) =>
  isStored({ last: run.clientLogSeq, gaps: run.clientLogGaps }, number)
const hasMetrics = (run: ReportedRun, number: number) =>
  isStored({ last: run.clientMetricsSeq, gaps: run.clientMetricsGaps }, number)

/** The report without the part that was stored before. */
export function withoutStored(run: ReportedRun, input: ReportRunInput, read: ReadReport): ReadReport {
  const { logSeq = null, metricsSeq = null } = input
  return {
    ...read,
    log: logSeq !== null && hasLog(run, logSeq) ? null : read.log,
    metrics: metricsSeq !== null && hasMetrics(run, metricsSeq) ? null : read.metrics,
  }
}

const triggers = { succeeded: 'succeed', failed: 'fail', canceled: 'confirmCancel' } as const

/** 409 where the caller is not the run's holder in this attempt or the run has ended, 422 for a `canceled` without a cancel request. */
export function assertMoves(viewer: Credentialed, run: ReportedRun, { status }: ReportRunInput, fence: number): void {
  const trigger: RunTrigger = status ? triggers[status] : 'report'
  const actor = actorOf(viewer, fence)
  const verdict = decideRun(trigger, runFacts(run, actor))
  if ('refusal' in verdict && verdict.refusal.type === 'validation.value')
    throw invalid('validation.value', verdict.refusal.detail, ['status'])
  nextStatus(trigger, run, actor)
}
