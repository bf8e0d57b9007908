/** Ends of hosted jobs whose call could not be started, or ended without a report. */
import { audit, noViewer } from '../operation/audit.ts'
import type { Deps } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { type JobKind, memoizeByKey } from '../work/job-kind.ts'
import { endFailed } from '../work/stop.ts'
import type { HostedKind } from './hosted-kind.ts'

const heldColumns = columns({ ownerId: column.text('u.owner_id'), status: column.text('u.status::text') })

/**
 * The job of a call that has ended without a report. A claimed job with a lease is left to it: its next holder
 * continues where this one was. One without a lease has no other holder.
 */
const lockUnreported = memoizeByKey(({ name, table, lease }: JobKind) =>
  statement({
    name: `${name}-call-ended`,
    columns: heldColumns,
    params: { jobId: param.text(), callId: param.text() },
    text: `select ${heldColumns.sql} from ${table} u where u.id = :jobId and u.executor = 'hosted'
      and u.hosted_call_id = :callId
        and ${lease ? `u.status = 'queued' and not ${lease.lostSinceDispatchSql('u')}` : `u.status in ('queued', 'running')`} for update`,
  }),
)

/** A call that never claimed was none. */
const forgetCall = memoizeByKey((job: JobKind) =>
  statement({
    name: `${job.name}-call-forget`,
    params: { jobId: param.text() },
    text: `update ${job.table} set hosted_call_id = null, hosted_credential = null, dispatched_at = null
      where id = :jobId`,
  }),
)

/**
 * Ends the job of a call that could not be started, or that ended without a report; no effect on a job that has ended
 * or has another call.
 */
export async function failJob({
  deps,
  kind: { job, settle },
  jobId,
  callId,
  reason,
}: {
  readonly deps: Pick<Deps, 'config' | 'db' | 'events' | 'queue'>
  readonly kind: HostedKind
  readonly jobId: string
  readonly callId: string
  readonly reason: string
}): Promise<void> {
  await deps.db.withTx(async (tx) => {
    const [held] = await tx.query(lockUnreported(job), { jobId, callId })
    if (!held) return
    const isClaimed = held.status === 'running'
    const what = isClaimed ? 'ended without a report' : 'could not be started'
    const error = `The hosted function ${what}: ${reason}`
    const costUsd = await settle(deps, tx, jobId)
    await endFailed(tx, job, jobId, { reason: 'dispatch', error, costUsd })
    if (!isClaimed) await tx.query(forgetCall(job), { jobId })
    const change = { before: { status: held.status }, after: { status: 'failed', error } }
    await audit(tx, noViewer, { action: `${job.name}.dispatch`, accountId: held.ownerId, targetId: jobId, ...change })
    tx.afterCommit(() => deps.events.hint(jobId))
  })
}
