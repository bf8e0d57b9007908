/** A worker takes the check that has waited longest, for a lease; exactly one of many claims gets it. */
import { assertLevel, repoViewer } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, Credentialed, RequestContext } from '../../operation/context.ts'
import { findRepoByIdToWrite } from '../../repos/get-repo.ts'
import { column, columns } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { CANDIDATES, type ClaimNextInput, claimsFor, unlessNothing, untilClaimed } from '../../work/claim-next.ts'
import { checksOfRepos, type DatasetCheck, readCheck, waitingTopic } from './check-rows.ts'
import { LEASE_SECONDS, MAX_LOST } from './limits.ts'
import { assertHolds } from './report-check.ts'

const taken = columns({ repoId: column.text('d.repo_id'), seq: column.int4('d.seq') })

/** What a worker may take: one that waits, or one whose lease ended without a report. */
const claimable = (d: string) => `${d}.status in ('queued', 'running') and (${d}.status = 'queued'
          or ${d}.lease_expires_at <= now() and ${d}.lost + 1 < ${MAX_LOST})`

/**
 * The state that is checked is the newest one. A lease that ended without a report is another worker's to take. The
 * repos are not locked: the state of a repo that changes meanwhile stays readable. The checks of each account are read
 * in index order; before the oldest one that waits are at most those that its workers have.
 */
const claimOldest = statement({
  name: 'dataset-check-claim',
  columns: taken,
  params: { ...repoViewer, worker: param.text(), credentialId: param.text() },
  text: `with waiting as materialized (
      select w.repo_id, w.requested_at from unnest(:accountIds::text[]) account(id) cross join lateral (
        select c.repo_id, c.requested_at from dataset_checks c where c.owner_id = account.id and ${claimable('c')}
          and (:repoIds::text[] is null or c.repo_id = any(:repoIds::text[]))
          order by c.requested_at, c.repo_id limit ${CANDIDATES}) w
      order by w.requested_at, w.repo_id limit ${CANDIDATES}),
    next as (
      select c.repo_id, r.seq from waiting w join dataset_checks c on c.repo_id = any(array[w.repo_id])
        join repos r on r.id = any(array[w.repo_id])
      where ${claimable('c')} order by w.requested_at, w.repo_id limit 1 for update of c skip locked)
    update dataset_checks d set status = 'running', seq = greatest(d.seq, next.seq), again = false,
      lost = case when d.status = 'running' then d.lost + 1 else 0 end,
      attempt = d.attempt + 1, worker = :worker, claim_credential = :credentialId,
      lease_expires_at = now() + interval '${LEASE_SECONDS} seconds', started_at = now(), finished_at = null,
      episodes_done = 0, episodes_total = null, error = null
    from next where d.repo_id = next.repo_id returning ${taken.sql}`,
})

/** The claimed check, or null if none became available in time. Errors: 401, 403. */
export function claimNextDatasetCheck(
  ctx: RequestContext,
  { worker, waitS, owner }: ClaimNextInput,
): Promise<DatasetCheck | null> {
  return guarded(
    ctx,
    () => claimsFor(ctx, assertLevel(ctx.viewer, 'write'), owner ?? null, 'checks'),
    (allowed, credential) =>
      untilClaimed(allowed, { topics: credential.accountIds.map(waitingTopic), waitS: waitS ?? 0 }, () =>
        claim(allowed, credential, worker),
      ),
    async (claimed) => {
      // A worker that reads a claim starts to work: no replay after the claim was lost.
      if (!claimed) return
      await findRepoByIdToWrite(ctx, claimed.repoId, claimed.repo)
      assertHolds(ctx, (await checksOfRepos(ctx.deps.db, [claimed.repoId]))[0] ?? null, claimed.attempt)
    },
  )
}

function claim(
  ctx: AllowedContext,
  { accountIds, repoIds, credentialId }: Credentialed,
  worker: string,
): Promise<DatasetCheck | null> {
  return unlessNothing((nothing) =>
    commitVerb(ctx, async (tx) => {
      const [found] = await tx.query(claimOldest, { accountIds, repoIds, credentialId, worker })
      if (!found) throw nothing
      const check = await readCheck(tx, found.repoId)
      await audit(tx, ctx, {
        action: 'dataset_check.claim',
        accountId: check.ownerId,
        targetId: check.repoId,
        after: { worker, attempt: check.attempt, seq: check.seq },
      })
      tx.afterCommit(() => ctx.deps.events.hint(check.repoId))
      return check
    }),
  )
}
