/**
 * Asks a job to stop, which its holder reads in the response to its next report; or ends the job without its holder.
 */
import { type AuditContext, audit } from '../operation/audit.ts'
import type { Usd } from '../platform/money.ts'
import { jobEnded } from '../platform/signals.ts'
import type { Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { type JobKind, memoizeByKey } from './job-kind.ts'

const ask = memoizeByKey(({ name, table }: JobKind) =>
  statement({
    name: `${name}-ask-to-stop`,
    params: { jobId: param.text(), reason: param.text() },
    text: `update ${table} set cancel_requested_at = coalesce(cancel_requested_at, now()), stop_reason = :reason,
      updated_at = now()
      where id = :jobId and status = 'running'`,
  }),
)

/**
 * Asks a running job to stop and replaces the reason; the first request keeps its time. The caller holds the row lock
 * and sends a hint after the commit.
 */
export async function askToStop(tx: Tx, job: JobKind, jobId: string, reason: string): Promise<void> {
  await tx.query(ask(job), { jobId, reason })
}

/** Counts the end of a job in the hub's metrics, after the commit. Must follow every statement that ends a job. */
export function announceEnd(tx: Tx, { name: kind }: Pick<JobKind, 'name'>, status: string): void {
  tx.afterCommit(() => jobEnded.send({ kind, status }))
}

/** The values of an audit entry that a reported end changes. */
type Change = Readonly<Record<'before' | 'after', Readonly<Record<string, unknown>>>>

/** A job that a report ended. */
export interface ReportedEnd extends Change {
  readonly id: string
  readonly ownerId: string
  readonly after: Change['after'] & { readonly status: string }
}

/** Records that a report ended the job; must follow the statement that ends it. */
export async function recordFinish(
  ctx: AuditContext,
  tx: Tx,
  job: JobKind,
  { id, ownerId, ...change }: ReportedEnd,
): Promise<void> {
  announceEnd(tx, job, change.after.status)
  await audit(tx, ctx, { action: `${job.name}.finish`, accountId: ownerId, targetId: id, ...change })
}

const setCanceled = memoizeByKey(({ name, table, statusType }: JobKind) =>
  statement({
    name: `${name}-end-canceled`,
    params: { jobId: param.text(), status: param.text(), costUsd: param.numeric.orNull<Usd>() },
    text: `update ${table} set status = :status::text::"${statusType}", stop_reason = 'cancel',
      cancel_requested_at = now(), finished_at = now(),
      cost_usd = :costUsd::numeric, updated_at = now() where id = :jobId and status in ('queued', 'running')`,
  }),
)

/**
 * Ends a job with this status and cost (null: unpriced) at once. The caller holds the row lock and sends a hint after
 * the commit.
 */
export async function endCanceled(
  tx: Tx,
  job: JobKind,
  jobId: string,
  end: { readonly status: string; readonly costUsd: Usd | null },
): Promise<void> {
  await tx.query(setCanceled(job), { jobId, ...end })
  announceEnd(tx, job, end.status)
}

const setFailed = memoizeByKey(({ name, table }: JobKind) =>
  statement({
    name: `${name}-end-failed`,
    params: { jobId: param.text(), reason: param.text(), error: param.text(), costUsd: param.numeric.orNull<Usd>() },
    text: `update ${table} set status = 'failed', stop_reason = :reason, error = :error, finished_at = now(),
      cost_usd = :costUsd::numeric, updated_at = now()
      where id = :jobId and status in ('queued', 'running')`,
  }),
)

/**
 * Ends a job as failed, with its `stop_reason`, a sentence in `error`, and its cost (null: unpriced). The caller holds
 * the row lock and sends a hint after the commit.
 */
export async function endFailed(
  tx: Tx,
  job: JobKind,
  jobId: string,
  end: { readonly reason: string; readonly error: string; readonly costUsd: Usd | null },
): Promise<void> {
  await tx.query(setFailed(job), { jobId, ...end })
  announceEnd(tx, job, 'failed')
}
