/**
 * Dispatch of hosted jobs: gives a job a call id and a key of its own, which alone can claim it, and has the backend
 * spawn the deployed function. Spec, run state table.
 */

import { randomBytes } from 'node:crypto'
import { newId } from '@hub/formats/ids'
import pMap from 'p-map'
import type { Deps } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import { texts } from '../store/read-json.ts'
import { param, statement } from '../store/statement.ts'
import { type JobKind, memoizeByKey } from '../work/job-kind.ts'
import type { CallToSpawn } from './backend.ts'
import { failJob } from './fail-job.ts'
import type { HostedKind } from './hosted-kind.ts'
import { mintJobKey } from './job-key.ts'
import { insertPending } from './outbox.ts'
import { spawnReserved } from './spawn-call.ts'

/** Never dispatched, or requeued since. */
const waitsForCall = ({ lease }: JobKind) =>
  lease ? `(u.dispatched_at is null or ${lease.lostSinceDispatchSql('u')})` : 'u.dispatched_at is null'

/** The compare-and-set: a job that was claimed, canceled or given a call meanwhile is left alone. */
const takeCall = memoizeByKey((kind: HostedKind) => {
  const { job } = kind
  const dispatched = columns({
    id: column.text('u.id'),
    ownerId: column.text('u.owner_id'),
    createdBy: column.text.orNull('u.created_by'),
    functionName: column.text(kind.functionSql),
    tier: column.text.orNull(kind.tierSql),
    maxHours: column.float8.orNull(kind.maxHoursSql),
    repoIds: column.json(kind.repoIdsSql, texts),
  })
  return statement({
    name: `${job.name}-dispatch`,
    columns: dispatched,
    params: { jobId: param.text(), callId: param.text(), keyId: param.text() },
    text: `update ${job.table} u set hosted_call_id = :callId, hosted_credential = :keyId, dispatched_at = now(),
      updated_at = now()
      where u.id = :jobId and u.status = 'queued' and u.executor = 'hosted' and ${waitsForCall(job)}
      returning ${dispatched.sql}`,
  })
})

/** A backend may be slow, and they have to be started within the time limit of a background job. */
const AT_ONCE = 4

const idColumn = columns({ id: column.text('u.id') })

/** Jobs that their background job will not start any more. */
const undispatched = memoizeByKey((job: JobKind) =>
  statement({
    name: `${job.table}-undispatched`,
    exact: 'next-batch',
    columns: idColumn,
    text: `select ${idColumn.sql} from ${job.table} u where u.status = 'queued' and u.executor = 'hosted'
        and (u.dispatched_at is not null or u.created_at < now() - interval '1 minute') and ${waitsForCall(job)}
      order by u.id limit 100`,
  }),
)

/** A function that needs longer than this to claim its job will not do it any more. */
const CLAIM_WITHIN_SECONDS = 3600

const silentColumns = columns({ jobId: column.text('u.id'), callId: column.text('u.hosted_call_id') })

/** Jobs whose call has not claimed them: the hub that ran it is gone, with its data directory. */
const silent = memoizeByKey((job: JobKind) =>
  statement({
    name: `${job.table}-silent-calls`,
    exact: 'next-batch',
    columns: silentColumns,
    text: `select ${silentColumns.sql} from ${job.table} u where u.status = 'queued' and u.executor = 'hosted'
        and u.dispatched_at < now() - interval '${CLAIM_WITHIN_SECONDS} s' and not (${waitsForCall(job)})
        order by u.id limit 100`,
  }),
)

export type DispatchDeps = Pick<Deps, 'config' | 'db' | 'events' | 'hosted' | 'log' | 'queue' | 'tokenSeal'>

/**
 * Starts a call for a queued hosted job that has none, now or when there is room for it; if it can never be started,
 * the job fails with the reason.
 */
export async function dispatchJob(deps: DispatchDeps, kind: HostedKind, jobId: string): Promise<void> {
  const callId = `call_${randomBytes(16).toString('hex')}`
  const room = await deps.hosted.reserve({ callId, jobId })
  // Its background job has finished by then, so no other worker has it.
  if (room !== 'reserved') return deps.hosted.wait(jobId, () => dispatchJob(deps, kind, jobId))
  let isSpawned = false
  try {
    const call = await recordCall(deps, kind, jobId, callId)
    if (call === null) return
    deps.events.hint(jobId)
    isSpawned = await spawnReserved(deps, kind, call, 1)
  } finally {
    if (!isSpawned) await deps.hosted.release(callId)
  }
}

/** Starts jobs without a call, such as after a preemption, and fails those whose call does not claim them. */
export async function dispatchUndispatched(deps: DispatchDeps, kind: HostedKind): Promise<void> {
  for (const { jobId, callId } of await deps.db.query(silent(kind.job))) {
    // The backend may be the reason, and not answer.
    const wait = await deps.hosted.waitsFor(callId).catch(() => null)
    const why = wait === null ? '' : `: ${wait}`
    await failJob({
      deps,
      kind,
      jobId,
      callId,
      reason: `it did not claim the job within ${CLAIM_WITHIN_SECONDS} seconds${why}.`,
    })
  }
  const waiting = await deps.db.query(undispatched(kind.job))
  await pMap(waiting, ({ id }) => dispatchJob(deps, kind, id), { concurrency: AT_ONCE })
}

/** One transaction: the job has the call, its key exists, and the outbox knows what to spawn. */
async function recordCall(
  { config, db, hosted, tokenSeal }: DispatchDeps,
  kind: HostedKind,
  jobId: string,
  callId: string,
): Promise<CallToSpawn | null> {
  const keyId = newId('key')
  const place = await hosted.place()
  return db.withTx(async (tx) => {
    const [job] = await tx.query(takeCall(kind), { jobId, callId, keyId })
    if (!job) return null
    const token = await mintJobKey(tx, job, keyId, kind.keyScope)
    const { functionName, tier } = job
    const maxSeconds = kind.maxSeconds(config.hosted, job.maxHours)
    const row = {
      id: callId,
      jobId,
      jobKind: kind.job.name,
      backend: hosted.name,
      place,
      functionName,
      tier,
      maxSeconds,
    }
    await insertPending(tx, { ...row, sealedToken: tokenSeal.seal(token) })
    return { callId, jobId, kind: kind.job.name, functionName, token, tier, maxSeconds }
  })
}
