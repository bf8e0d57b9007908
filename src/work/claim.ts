/** The claim: exactly one of many concurrent claims gets a queued job. */
import { audit } from '../operation/audit.ts'
import type { RequestContext } from '../operation/context.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { composed, param } from '../store/statement.ts'
import { type JobKind, memoizeByKey } from './job-kind.ts'

/** The assignments of every claim, for `set`. */
export const claimSql = ({ lease }: JobKind): string =>
  `status = 'running', attempt = attempt + 1, claimed_by = :worker, claim_credential = :credentialId, heartbeat_at = now(), updated_at = now()
    ${lease ? ', lease_expires_at = now() + make_interval(secs => :leaseSeconds)' : ''}`

export const claimParams = {
  jobId: param.text(),
  worker: param.text(),
  credentialId: param.text(),
  /** Ignored by a kind without a lease. */
  leaseSeconds: param.float8(),
}

export const takenColumns = columns({ attempt: column.int4('attempt'), ownerId: column.text('owner_id') })

/**
 * The compare-and-set, to follow `update <table>`. Only the key of its own call can claim a hosted job. `also`: further
 * assignments of the kind.
 */
export const claimQueuedSql = (job: JobKind, also = ''): string =>
  `set ${claimSql(job)}, claimed_at = now(), started_at = now() ${also}
    where id = :jobId and status = 'queued' ${job.lease ? `and ${job.lease.notBarredSql(job.table, ':credentialId')}` : ''}
      and (executor = 'worker' or executor = 'hosted' and hosted_credential = :credentialId)
    returning ${takenColumns.sql}`

const claimQueued = memoizeByKey((job: JobKind) =>
  composed({
    name: `${job.name}-claim`,
    columns: takenColumns,
    params: claimParams,
    text: `update ${job.table} ${claimQueuedSql(job)}`,
  }),
)

export interface Claim {
  readonly jobId: string
  /** Name of the claimer. */
  readonly worker: string
  readonly credentialId: string
  readonly leaseSeconds: number
  /** Further values for the audit log besides worker and attempt. */
  readonly audited?: Readonly<Record<string, unknown>>
}

/** Claims a queued job in the caller's transaction; null if the job cannot be claimed. */
export async function claimJob(
  ctx: RequestContext,
  tx: Tx,
  job: JobKind,
  { audited, ...claim }: Claim,
): Promise<Taken | null> {
  const [claimed] = await tx.query(claimQueued(job), claim)
  return claimed ? recordClaim(ctx, tx, job, { ...claim, ...(audited && { audited }), taken: claimed }) : null
}

export type Taken = RowOf<typeof takenColumns>

/** Common steps after the compare-and-set of any kind: writes the audit entry, and sends a hint after the commit. */
export async function recordClaim(
  ctx: RequestContext,
  tx: Tx,
  { name }: JobKind,
  { jobId, worker, audited = {}, taken }: Pick<Claim, 'jobId' | 'worker' | 'audited'> & { readonly taken: Taken },
): Promise<Taken> {
  const after = { worker, attempt: taken.attempt, ...audited }
  await audit(tx, ctx, { action: `${name}.claim`, accountId: taken.ownerId, targetId: jobId, after })
  tx.afterCommit(() => ctx.deps.events.hint(jobId))
  return taken
}
