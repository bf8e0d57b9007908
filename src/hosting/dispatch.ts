/**
 * Dispatch of hosted jobs: starts the deployed function with a call id and its own key, which alone can claim the job. Spec, run state table.
 * At-least-once: of two calls for one job, the hub accepts the claim of only one.
 */
import { randomBytes } from 'node:crypto'
import { audit, noViewer } from '../operation/audit.ts'
import type { Deps } from '../operation/context.ts'
import { newId } from '../platform/ids.ts'
import { column, columns } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { type JobKind, memoizeByKey } from '../work/job-kind.ts'
import { endFailed } from '../work/stop.ts'
import type { HostedKind } from './hosted-kind.ts'
import { mintJobKey } from './job-key.ts'
import type { HostedCall } from './places.ts'
import { spawnHosted } from './spawn-hosted.ts'

/** Never dispatched, or requeued since. */
const waitsForCall = ({ lease }: JobKind) =>
  lease ? `(u.dispatched_at is null or ${lease.lostSinceDispatchSql('u')})` : 'u.dispatched_at is null'

/**
 * The compare-and-set: a job that was claimed or canceled meanwhile is left alone. `force`: a job with a call gets another one, since the process
 * that recorded it may have died before it started anything.
 */
const takeCall = memoizeByKey(({ job, functionSql, repoIdsSql }: HostedKind) => {
  const dispatched = columns({
    id: column<string>('u.id'),
    ownerId: column<string>('u.owner_id'),
    createdBy: column<string | null>('u.created_by'),
    functionName: column<string>(functionSql),
    repoIds: column<readonly string[]>(repoIdsSql),
  })
  return statement({
    name: `${job.name}-dispatch`,
    columns: dispatched,
    params: {
      jobId: param<string>(),
      callId: param<string>(),
      keyId: param<string>(),
      force: param<boolean>(),
    },
    text: `update ${job.table} u set hosted_call_id = :callId, hosted_credential = :keyId, dispatched_at = now(), updated_at = now()
      where u.id = :jobId and u.status = 'queued' and u.executor = 'hosted' and (:force::boolean or ${waitsForCall(job)})
      returning ${dispatched.sql}`,
  })
})

const heldColumns = columns({ ownerId: column<string>('u.owner_id'), status: column<string>('u.status') })

/**
 * The job of a call that has ended without a report. A claimed job with a lease is left to it: its next holder continues where this one was. One without a lease
 * has no other holder.
 */
const lockUnreported = memoizeByKey(({ name, table, lease }: JobKind) =>
  statement({
    name: `${name}-call-ended`,
    columns: heldColumns,
    params: { jobId: param<string>(), callId: param<string>() },
    text: `select ${heldColumns.sql} from ${table} u where u.id = :jobId and u.executor = 'hosted' and u.hosted_call_id = :callId
        and ${lease ? `u.status = 'queued' and not ${lease.lostSinceDispatchSql('u')}` : `u.status in ('queued', 'running')`} for update`,
  }),
)

/** A call that never claimed was none. */
const forgetCall = memoizeByKey((job: JobKind) =>
  statement({
    name: `${job.name}-call-forget`,
    params: { jobId: param<string>() },
    text: `update ${job.table} set hosted_call_id = null, hosted_credential = null, dispatched_at = null where id = :jobId`,
  }),
)

const idColumn = columns({ id: column<string>('u.id') })

/** Jobs that their background job will not start any more. */
const undispatched = memoizeByKey((job: JobKind) =>
  statement({
    name: `${job.table}-undispatched`,
    columns: idColumn,
    text: `select ${idColumn.sql} from ${job.table} u where u.status = 'queued' and u.executor = 'hosted'
        and (u.dispatched_at is not null or u.created_at < now() - interval '1 minute') and ${waitsForCall(job)}
      order by u.id limit 100`,
  }),
)

/** A function that needs longer than this to claim its job will not do it any more. */
const CLAIM_WITHIN_SECONDS = 3600

const silentColumns = columns({ jobId: column<string>('u.id'), callId: column<string>('u.hosted_call_id') })

/** Jobs whose call has not claimed them: the hub that ran it is gone, with its data directory. */
const silent = memoizeByKey((job: JobKind) =>
  statement({
    name: `${job.table}-silent-calls`,
    columns: silentColumns,
    text: `select ${silentColumns.sql} from ${job.table} u where u.status = 'queued' and u.executor = 'hosted'
        and u.dispatched_at < now() - interval '${CLAIM_WITHIN_SECONDS} s' and not (${waitsForCall(job)}) order by u.id limit 100`,
  }),
)

export type DispatchDeps = Pick<Deps, 'config' | 'db' | 'events' | 'hosted' | 'log' | 'queue'>

/** Starts a call for a queued hosted job, now or when a place is free; if it cannot be started, the job fails with the reason. */
export async function dispatchJob(deps: DispatchDeps, kind: HostedKind, jobId: string): Promise<void> {
  await dispatch(deps, kind, jobId, true)
}

/** Starts jobs without a call, such as after a preemption, and fails those whose call does not claim them. */
export async function dispatchUndispatched(deps: DispatchDeps, kind: HostedKind): Promise<void> {
  for (const { jobId, callId } of await deps.db.query(silent(kind.job)))
    await failJob(deps, kind, jobId, callId, `it did not claim the job within ${CLAIM_WITHIN_SECONDS} seconds.`)
  for (const { id } of await deps.db.query(undispatched(kind.job))) await dispatch(deps, kind, id, false)
}

async function dispatch(deps: DispatchDeps, kind: HostedKind, jobId: string, force: boolean): Promise<void> {
  const place = deps.hosted.take()
  // Its background job has finished by then, so no other worker has it.
  if (place === null) return deps.hosted.wait(jobId, () => dispatch(deps, kind, jobId, false))
  const callId = `call_${randomBytes(16).toString('hex')}`
  let isStarted = false
  try {
    await place.begin({ callId, jobId })
    const call = await recordCall(deps, kind, jobId, callId, force)
    if (call === null) return
    deps.events.hint(jobId)
    const onEnd = (reason: string) => failJob(deps, kind, jobId, callId, reason)
    try {
      await spawnHosted(deps, { kind: kind.job.name, id: jobId, callId, ...call }, place, onEnd)
      isStarted = true
    } catch (error) {
      await onEnd(error instanceof Error ? error.message : String(error))
    }
  } finally {
    if (!isStarted) await place.leave()
  }
}

async function recordCall(deps: DispatchDeps, kind: HostedKind, jobId: string, callId: string, force: boolean) {
  const keyId = newId('key')
  return deps.db.withTx(async (tx) => {
    const [job] = await tx.query(takeCall(kind), { jobId, callId, keyId, force })
    return job ? { functionName: job.functionName, token: await mintJobKey(tx, job, keyId, kind.keyScope) } : null
  })
}

/** Puts the job of a call that was never started back to those that wait for one; no effect on a job that has ended or has another call. */
export async function forgetUnstarted(deps: Pick<Deps, 'db'>, { job }: HostedKind, call: HostedCall): Promise<void> {
  await deps.db.withTx(async (tx) => {
    const [held] = await tx.query(lockUnreported(job), call)
    if (held?.status === 'queued') await tx.query(forgetCall(job), { jobId: call.jobId })
  })
}

/** Ends the job of a call that could not be started, or that ended without a report; no effect on a job that has ended or has another call. */
export async function failJob(
  deps: DispatchDeps,
  { job, settle }: HostedKind,
  jobId: string,
  callId: string,
  reason: string,
): Promise<void> {
  await deps.db.withTx(async (tx) => {
    const [held] = await tx.query(lockUnreported(job), { jobId, callId })
    if (!held) return
    const isClaimed = held.status === 'running'
    const what = isClaimed ? 'ended without a report' : 'could not be started'
    const error = `The hosted function ${what}: ${reason}`
    const costUsd = settle ? await settle(deps, tx, jobId) : '0.0000'
    await endFailed(tx, job, jobId, { reason: 'dispatch', error, costUsd })
    if (!isClaimed) await tx.query(forgetCall(job), { jobId })
    const change = { before: { status: held.status }, after: { status: 'failed', error } }
    await audit(tx, noViewer, { action: `${job.name}.dispatch`, accountId: held.ownerId, targetId: jobId, ...change })
    tx.afterCommit(() => deps.events.hint(jobId))
  })
}
