/**
 * reportRun (spec, "POST /v1/runs/{run_id}/report"): the runner reports log, metrics, artifacts and the end of its run,
 * and renews its lease.
 */
import type { RequestContext } from '../../operation/context.ts'
import { type ReportKind, reportJob } from '../../work/report.ts'
import { noteStaleReport } from '../lease/lost-lease.ts'
import { endOverdueRun } from '../lease/sweep-leases.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { applyReport, lockReported, type RunToChange } from './apply-report.ts'
import { nextOf, numbersOf, type ReadRunReport, type ReportRunInput, readReport } from './judge-report.ts'
import { findRunToReport, type ReportedRun } from './report-rows.ts'

const runReport: ReportKind<ReportRunInput, ReportedRun, RunToChange, 'log' | 'metrics', ReadRunReport, Run> = {
  find: (ctx, { runId }) => findRunToReport(ctx, runId),
  endOverdue: endOverdueRun,
  numbersOf,
  next: nextOf,
  read: readReport,
  lock: lockReported,
  apply: applyReport,
  show: readRun,
  noteRefusal: noteStaleReport,
}

/**
 * Returns the run. Errors, which store nothing: 401, 403, 404, 409 `conflict.not_claimer`, `conflict.terminal`, 413
 * `too_large`, `quota.storage`, 422 also for a `canceled` without a request to stop, 503.
 */
export function reportRun(ctx: RequestContext, input: ReportRunInput): Promise<Run> {
  return reportJob(ctx, runReport, input)
}
