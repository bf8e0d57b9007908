/**
 * reportRobotCheck (spec, "POST /v1/robot-checks/{check_id}/report"): the worker reports log, documents, artifacts and
 * the end of its check.
 */
import { assertRunsFor } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { type ReportKind, reportJob } from '../../work/report.ts'
import { findCheck, type HeldCheck, lockCheck } from '../check-row.ts'
import type { RobotCheck } from '../check-shape.ts'
import { endOverdueCheck } from '../end/sweep-checks.ts'
import { readCheck } from '../read/get-check.ts'
import { applyReport } from './apply-report.ts'
import { nextOf, numbersOf, type ReadCheckReport, type ReportCheckInput, readReport } from './judge-report.ts'

const checkReport: ReportKind<ReportCheckInput, HeldCheck, HeldCheck, 'log', ReadCheckReport, RobotCheck> = {
  async find(ctx, { checkId }) {
    const check = await findCheck(ctx, checkId)
    assertRunsFor(ctx.viewer, check.ownerId, 'write', 'The check')
    return check
  },
  endOverdue: endOverdueCheck,
  numbersOf,
  next: nextOf,
  read: readReport,
  lock: (tx, { checkId }) => lockCheck(tx, checkId),
  apply: applyReport,
  show: readCheck,
}

/**
 * Returns the check. Errors, which store nothing: 401, 403, 404, 409 `conflict.not_claimer`, `conflict.terminal`, 413
 * for a log chunk that is too large or an exceeded storage quota, 422, 503.
 */
export function reportCheck(ctx: RequestContext, input: ReportCheckInput): Promise<RobotCheck> {
  return reportJob(ctx, checkReport, input)
}
