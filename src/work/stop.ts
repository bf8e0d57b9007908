/** A job is asked to stop, which its holder reads in the answer to its next report; or it ends before anyone held it. */
import type { Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { type JobKind, memoizeByKey } from './job-kind.ts'

const ask = memoizeByKey(({ name, table }: JobKind) =>
  statement({
    name: `${name}-ask-to-stop`,
    params: { jobId: param<string>(), reason: param<string>() },
    text: `update ${table} set cancel_requested_at = coalesce(cancel_requested_at, now()), stop_reason = :reason, updated_at = now()
      where id = :jobId and status = 'running'`,
  }),
)

/** Asks a running job to stop, for this reason from now on; when it was asked first stays. The caller holds the lock of the row and hints after the commit. */
export async function askToStop(tx: Tx, job: JobKind, jobId: string, reason: string): Promise<void> {
  await tx.query(ask(job), { jobId, reason })
}

const endQueued = memoizeByKey(({ name, table }: JobKind) =>
  statement({
    name: `${name}-cancel-queued`,
    params: { jobId: param<string>(), status: param<string>() },
    text: `update ${table} set status = :status, stop_reason = 'cancel', cancel_requested_at = now(), finished_at = now(), cost_usd = 0,
      updated_at = now() where id = :jobId and status = 'queued'`,
  }),
)

/** Ends a job that nobody has claimed with this status: nothing ran and nothing is billed. The caller holds the lock of the row and hints after the commit. */
export async function cancelQueued(tx: Tx, job: JobKind, jobId: string, status: string): Promise<void> {
  await tx.query(endQueued(job), { jobId, status })
}
