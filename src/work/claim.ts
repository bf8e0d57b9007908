/** The claim: of concurrent claims exactly one gets a queued job. */
import { audit } from '../operation/audit.ts'
import type { RequestContext } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { composed, param } from '../store/statement.ts'
import { type JobKind, memoizeByKey } from './job-kind.ts'

/** What any claim writes. */
export const claimSql = ({ lease }: JobKind): string =>
  `status = 'running', attempt = attempt + 1, claimed_by = :worker, claim_credential = :credentialId, heartbeat_at = now(), updated_at = now()
    ${lease ? ', lease_expires_at = now() + make_interval(secs => :leaseSeconds)' : ''}`

export const claimParams = {
  jobId: param<string>(),
  worker: param<string>(),
  credentialId: param<string>(),
  /** Ignored by a kind without a lease. */
  leaseSeconds: param<number>(),
}

const taken = columns({ attempt: column<number>('attempt'), ownerId: column<string>('owner_id') })

/** The compare-and-set. A hosted job is claimed by the key of its own call alone. */
const claimQueued = memoizeByKey((job: JobKind) =>
  composed({
    name: `${job.name}-claim`,
    columns: taken,
    params: claimParams,
    text: `update ${job.table} set ${claimSql(job)}, claimed_at = now(), started_at = now()
      where id = :jobId and status = 'queued' ${job.lease ? `and ${job.lease.notBarredSql(job.table, ':credentialId')}` : ''}
        and (executor = 'worker' or executor = 'hosted' and hosted_credential = :credentialId)
      returning ${taken.sql}`,
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

/** Claims a queued job in the caller's transaction; null when it is not there to be claimed. */
export async function claimJob(
  ctx: RequestContext,
  tx: Tx,
  job: JobKind,
  { audited = {}, ...claim }: Claim,
): Promise<{ readonly attempt: number } | null> {
  const [claimed] = await tx.query(claimQueued(job), claim)
  if (!claimed) return null
  const after = { worker: claim.worker, attempt: claimed.attempt, ...audited }
  await audit(tx, ctx, { action: `${job.name}.claim`, accountId: claimed.ownerId, targetId: claim.jobId, after })
  tx.afterCommit(() => ctx.deps.events.hint(claim.jobId))
  return claimed
}
