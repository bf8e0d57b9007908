/** The source of the subscription `robotCheckUpdated`. */
import type { RequestContext } from '../../operation/context.ts'
import { watchJob } from '../../work/watch-job.ts'
import { checkJob } from '../check-job.ts'
import type { RobotCheck } from '../check-shape.ts'
import { getChecksById } from './get-check.ts'

/**
 * Yields the check at once and after every change, until it ends or is no longer visible. Errors: 401, 404 if the check
 * is not visible at the start.
 */
export function watchCheck(ctx: RequestContext, checkId: string): Promise<AsyncGenerator<RobotCheck>> {
  return watchJob(ctx, { job: checkJob, byId: getChecksById, textOf: (check) => JSON.stringify(check) }, checkId)
}
