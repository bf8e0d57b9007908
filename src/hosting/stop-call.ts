/** Ending a call before its job is canceled. Spec, "cancelRobotCheck": if the call cannot be terminated, nothing changes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { CallMoved } from '../work/cancel.ts'
import type { HeldJob } from '../work/held-job.ts'
import { hasEnded, signalGroup } from './process-group.ts'

const LOOK_MS = 25
/** From SIGTERM to SIGKILL, and to giving up. */
const KILL_AFTER_MS = 5_000
const REFUSED_AFTER_MS = 15_000
/** A job that is dispatched again and again while it is canceled. */
const MAX_CALLS = 3

/** Of a call on this hub. */
export interface NotedCall {
  /** `processMark` of its process; that of the hub while the process is being started. */
  readonly mark: string
  readonly isStarting: boolean
}

/** Ends the process of a call and waits until it is gone; `note` is null once the call has left its place. 502 where the system does not let it be ended. */
export async function endProcess(note: () => Promise<NotedCall | null>): Promise<void> {
  const began = Date.now()
  let sent: NodeJS.Signals | null = null
  for (;;) {
    const call = await note()
    if (call === null || (!call.isStarting && (await hasEnded(call.mark)))) return
    const age = Date.now() - began
    if (age > REFUSED_AFTER_MS) throw refusal('its process did not end in time')
    const signal = age > KILL_AFTER_MS ? 'SIGKILL' : 'SIGTERM'
    if (!call.isStarting && signal !== sent) {
      await signalGroup(call.mark, signal).catch((error: Error) => {
        throw refusal(error.message)
      })
      sent = signal
    }
    await sleep(LOOK_MS)
  }
}

function refusal(why: string): HubError {
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
      return job.hostedCallId === null ? await cancel(job) : await hosted.stop(job.hostedCallId, () => cancel(job))
    } catch (error) {
      if (!(error instanceof CallMoved) || calls === MAX_CALLS) throw error
    }
  }
}
