/** The source of the subscription `robotCheckUpdated`. */
import type { RequestContext } from '../../operation/context.ts'
import { watchJob } from '../../work/watch-job.ts'
import { checkJob } from '../check-job.ts'
import type { RobotCheck } from '../check-shape.ts'
import { getChecksById } from './get-check.ts'

/** The check at once and after every change. Ends with the check, or when it is hidden. 401, 404 where it is not visible to begin with. */
export function watchCheck(ctx: RequestContext, checkId: string): Promise<AsyncGenerator<RobotCheck>> {
  return watchJob(ctx, { job: checkJob, byId: getChecksById, textOf: (check) => JSON.stringify(check) }, checkId)
}
