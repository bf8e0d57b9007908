/**
 * The oldest queued worker job that a credential may claim, at once or as soon as there is one.
 * Contract, "Claims and leases".
 */
import { isDeepStrictEqual } from 'node:util'
import { currentViewer } from '../auth/current-viewer.ts'
import { accountByHandle } from '../auth/handle.ts'
import { assertNotJob, repoViewer } from '../auth/policy.ts'
import { commitVerb } from '../operation/commit-verb.ts'
import type { AllowedContext, Credentialed, RequestContext } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { type JobKind, memoizeByKey } from './job-kind.ts'
import { waitingTopic } from './waiting.ts'

export interface ClaimNextInput {
  readonly worker: string
  /** Whole seconds to wait for work, 30 at most; 0 by default. */
  readonly waitS?: number | null
  /** Handle of the only account whose jobs are considered; absent: all accounts of the credential. */
  readonly owner?: string | null
}

/** Number of oldest jobs considered: locked ones are skipped. */
export const CANDIDATES = 100

const idColumn = columns({ id: column.text('u.id') })

/**
 * The oldest waiting job of the caller's accounts, its row locked until the claim commits. Jobs from which the
 * credential is barred, jobs that wait for the process that started them, and jobs that a limited key does not see are
 * skipped. Each account's queue is read in index order.
 */
const oldestWaiting = memoizeByKey(({ name, table, listedSql, lease }: JobKind) =>
  statement({
    name: `${name}-oldest-waiting`,
    columns: idColumn,
    params: { ...repoViewer, credentialId: param.text() },
    text: `with waiting as materialized (
        select w.id from unnest(:accountIds::text[]) account(id) cross join lateral (
          select u.id from ${table} u where u.owner_id = account.id and u.status = 'queued' and u.executor = 'worker'
            ${lease ? `and ${lease.forAnyWorkerSql('u')} and ${lease.notBarredSql('u', ':credentialId')}` : ''}
            and (:repoIds::text[] is null or u.filed_by = :credentialId or ${listedSql('u')})
            order by u.id limit ${CANDIDATES}) w
        order by w.id limit ${CANDIDATES})
      select ${idColumn.sql} from waiting w join ${table} u on u.id = w.id where u.status = 'queued'
      order by w.id limit 1 for update of u skip locked`,
  }),
)

/**
 * The credential, limited to work of the requested owner. 403 for an owner that is unknown or not the caller's, and for
 * the key of a hosted job.
 */
export async function claimsFor(
  ctx: RequestContext,
  credential: Credentialed,
  handle: string | null,
  jobs: string,
): Promise<Credentialed> {
  const ofOwner = handle === null ? credential : await onlyFor(ctx, credential, handle)
  assertNotJob(ctx.viewer, `claim other ${jobs}`)
  return ofOwner
}

async function onlyFor(ctx: RequestContext, credential: Credentialed, handle: string): Promise<Credentialed> {
  const [owner] = await ctx.deps.db.query(accountByHandle, { handle })
  if (owner && credential.accountIds.includes(owner.id)) return { ...credential, accountIds: [owner.id] }
  throw new HubError('forbidden.scope', `You are neither ${handle} nor one of its members.`)
}

/** The result of `claim` for the oldest waiting job, in one transaction; null if none became available in time. */
export async function claimNext<T extends object>(
  ctx: AllowedContext,
  job: JobKind,
  { credential, waitS }: { readonly credential: Credentialed; readonly waitS: number },
  claim: (tx: Tx, jobId: string) => Promise<T | null>,
): Promise<T | null> {
  const topics = credential.accountIds.map((ownerId) => waitingTopic(job, ownerId))
  return untilClaimed(ctx, { topics, waitS }, () => claimOldest(ctx, job, credential, claim))
}

/**
 * What `claim` gets, at once or within `waitS` when one of the topics is sent; null if nothing. A caller whose rights
 * change while it waits gets nothing: its next request is asked with those that it has then.
 */
export async function untilClaimed<T extends object>(
  { deps, viewer, signal: ended }: AllowedContext,
  { topics, waitS }: { readonly topics: readonly string[]; readonly waitS: number },
  claim: () => Promise<T | null>,
): Promise<T | null> {
  if (waitS === 0) return claim()
  const signal = AbortSignal.any([ended, deps.stopping, AbortSignal.timeout(waitS * 1000)])
  for await (const _hint of deps.events.watch(topics, signal)) {
    if (!isDeepStrictEqual(await currentViewer(deps.db, viewer), viewer)) return null
    const claimed = await claim()
    if (claimed) return claimed
  }
  return null
}

/**
 * Null where `work` throws the error that it is given: a null result is not stored for replays, since the error rolls
 * back the transaction that would store it.
 */
export async function unlessNothing<T>(work: (nothing: Error) => Promise<T>): Promise<T | null> {
  const nothing = new Error('nothing to claim')
  try {
    return await work(nothing)
  } catch (error) {
    if (error === nothing) return null
    throw error
  }
}

function claimOldest<T extends object>(
  ctx: AllowedContext,
  job: JobKind,
  { accountIds, repoIds, credentialId }: Credentialed,
  claim: (tx: Tx, jobId: string) => Promise<T | null>,
): Promise<T | null> {
  return unlessNothing((nothing) =>
    commitVerb(ctx, async (tx) => {
      const [oldest] = await tx.query(oldestWaiting(job), { accountIds, repoIds, credentialId })
      const claimed = oldest ? await claim(tx, oldest.id) : null
      if (!claimed) throw nothing
      return claimed
    }),
  )
}
