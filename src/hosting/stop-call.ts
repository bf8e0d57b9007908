/** Ending a call before its job is canceled. Spec, "cancelRobotCheck": if the call cannot be terminated, nothing changes. */
import type { Deps } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { CallMoved } from '../work/cancel.ts'
import type { HeldJob } from '../work/held-job.ts'

/** A job that is dispatched again and again while it is canceled. */
const MAX_CALLS = 3

/** The backend did not end a call. */
export function notEnded(why: string): HubError {
  return new HubError(
    'bad_gateway',
    `The hosted call could not be ended: ${why}. Nothing was changed; try again later.`,
  )
}

/** Ends the call of a job, if it has one, then cancels the job; a call that it was given meanwhile is ended too. */
export async function cancelStopped<Job extends HeldJob, Shown>(
  { hosted }: Pick<Deps, 'hosted'>,
  found: Job,
  find: () => Promise<Job>,
  cancel: (stopped: Job) => Promise<Shown>,
): Promise<Shown> {
  for (let calls = 1, job = found; ; calls += 1, job = await find()) {
    try {
      return job.hostedCallId === null ? await cancel(job) : await hosted.cancel(job.hostedCallId, () => cancel(job))
    } catch (error) {
      if (!(error instanceof CallMoved) || calls === MAX_CALLS) throw error
    }
  }
}
