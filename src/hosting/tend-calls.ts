/**
 * The sweep over hosted calls. It spawns those that were recorded and not spawned, ends those whose job has ended, is
 * queued for another call or is held by another call, and fails jobs whose call ended without a word.
 * Contract, "Hosted runs".
 */
import pMap from 'p-map'
import type { Deps } from '../operation/context.ts'
import type { CallStatus } from './backend.ts'
import { failJob } from './fail-job.ts'
import type { HostedKind } from './hosted-kind.ts'
import { type LiveCall, liveCalls, recordEnded, recordMissing, recordSpawned } from './outbox.ts'
import { recoverCall } from './spawn-call.ts'

/**
 * A backend may be slow: each of these can take its whole timeout. Most calls of a round need no more than its
 * `status`.
 */
const AT_ONCE = 8

export type TendDeps = Pick<Deps, 'config' | 'db' | 'events' | 'hosted' | 'log' | 'queue' | 'tokenSeal'>

/** Looks after every call that this hub's backend can reach. Returns the number of calls that were asked to end. */
export async function tendCalls(deps: TendDeps, kinds: readonly HostedKind[]): Promise<number> {
  const where = { backend: deps.hosted.name, place: await deps.hosted.place() }
  let ending = 0
  for (const kind of kinds) {
    for await (const calls of liveCalls(deps.db, kind, where)) {
      const known = await deps.hosted.status(calls.map(({ callId }) => callId))
      const statusOf = ({ callId }: LiveCall): CallStatus => known.get(callId) ?? { is: 'unknown' }
      await noteMissing(deps, calls, statusOf)
      const tend = async (call: LiveCall) => {
        try {
          if (await tendCall(deps, kind, call, statusOf(call))) ending += 1
        } catch (error) {
          deps.log.error({ err: error, job: call.jobId, call: call.callId }, 'a hosted call was not looked after')
        }
      }
      await pMap(calls, tend, { concurrency: AT_ONCE })
    }
  }
  return ending
}

async function noteMissing(
  { db }: TendDeps,
  calls: readonly LiveCall[],
  statusOf: (call: LiveCall) => CallStatus,
): Promise<void> {
  const isMissing = (call: LiveCall) => call.state === 'spawned' && statusOf(call).is === 'unknown'
  const changed = calls.filter((call) => isMissing(call) !== call.isMissing)
  const ids = (of: readonly LiveCall[]) => of.map(({ callId }) => callId)
  await recordMissing(db, ids(changed.filter(isMissing)), ids(changed.filter((call) => !isMissing(call))))
}

/** Whether the call was asked to end. */
async function tendCall(deps: TendDeps, kind: HostedKind, call: LiveCall, status: CallStatus): Promise<boolean> {
  const { callId, jobId } = call
  // The instance that spawns it looks after it, and sees that its job is over.
  if (call.state === 'pending' && !call.isDue) return false
  if (call.isOver) {
    if (status.is !== 'running') await recordEnded(deps.db, callId)
    if (status.is === 'unknown') return false
    deps.log.info({ job: jobId, call: callId }, 'ending a hosted call whose job has ended')
    await deps.hosted.end(callId)
    return status.is === 'running'
  }
  if (call.state === 'pending') {
    if (call.isClaimed) await recordSpawned(deps.db, callId)
    else await recoverCall(deps, kind, call)
    return false
  }
  if (status.is === 'ended') await callEnded(deps, kind, call, status.how)
  if (status.is === 'unknown' && call.isLost) await callEnded(deps, kind, call, `${deps.hosted.name} lost its call.`)
  return false
}

/** Records the end of a call: a job that still waits for its report has failed. */
export async function callEnded(
  deps: Pick<Deps, 'config' | 'db' | 'events' | 'queue'>,
  kind: HostedKind,
  { jobId, callId }: Pick<LiveCall, 'jobId' | 'callId'>,
  how: string,
): Promise<void> {
  await failJob({ deps, kind, jobId, callId, reason: how })
  await recordEnded(deps.db, callId)
}
