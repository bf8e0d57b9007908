/**
 * Ending a call before its job is canceled. Spec, "cancelRobotCheck": if the call cannot be terminated, nothing
 * changes.
 */
import type { Deps } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
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

const backendColumn = columns({ backend: column.text('c.backend') })
const backendOf = statement({
  name: 'hosted-call-backend',
  exact: 'in-transaction',
  columns: backendColumn,
  params: { callId: param.text() },
  text: `select ${backendColumn.sql} from hosted_calls c where c.id = :callId`,
})

/**
 * Whether hubs of this deployment can end a call: it is on the backend that they use. False after `HOSTED_BACKEND` was
 * changed while the call ran.
 */
export async function isCallReachable(
  { hosted }: Pick<Deps, 'hosted'>,
  querier: Querier,
  callId: string,
): Promise<boolean> {
  const [call] = await querier.query(backendOf, { callId })
  return call === undefined || call.backend === hosted.name
}

/** Ends the call of a job, if it has one, then cancels the job; a call that it was given meanwhile is ended too. */
export async function cancelStopped<Job extends HeldJob, Shown>(
  { db, hosted }: Pick<Deps, 'db' | 'hosted'>,
  found: Job,
  find: () => Promise<Job>,
  cancel: (stopped: Job) => Promise<Shown>,
): Promise<Shown> {
  for (let calls = 1, job = found; ; calls += 1, job = await find()) {
    try {
      if (job.hostedCallId === null) return await cancel(job)
      if (!(await isCallReachable({ hosted }, db, job.hostedCallId)))
        throw notEnded('it is on a backend that this deployment no longer uses')
      return await hosted.cancel(job.hostedCallId, () => cancel(job))
    } catch (error) {
      if (!(error instanceof CallMoved) || calls === MAX_CALLS) throw error
    }
  }
}
