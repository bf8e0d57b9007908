/** A worker takes the check that has waited longest, for a lease; exactly one of many claims gets it. */
import { assertLevel, repoViewer } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, Credentialed, RequestContext } from '../../operation/context.ts'
import { findRepoByIdToWrite } from '../../repos/get-repo.ts'
import { column, columns } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { type ClaimNextInput, claimsFor, unlessNothing, untilClaimed } from '../../work/claim-next.ts'
import { checksOfRepos, type DatasetCheck, readCheck, waitingTopic } from './check-rows.ts'
import { LEASE_SECONDS, MAX_LOST } from './limits.ts'
import { assertHolds } from './report-check.ts'

const taken = columns({ repoId: column.text('d.repo_id'), seq: column.int4('d.seq') })

/**
 * The state that is checked is the newest one. A lease that ended without a report is another worker's to take. The
 * repos are not locked: the state of a repo that changes meanwhile stays readable.
 */
const claimOldest = statement({
  name: 'dataset-check-claim',
  columns: taken,
  params: { ...repoViewer, worker: param.text(), credentialId: param.text() },
  text: `with next as (
      select w.repo_id, r.seq from dataset_checks w join repos r on r.id = w.repo_id
      where r.owner_id = any(:accountIds::text[]) and (:repoIds::text[] is null or r.id = any(:repoIds::text[]))
        and w.status in ('queued', 'running') and (w.status = 'queued'
          or w.lease_expires_at <= now() and w.lost + 1 < ${MAX_LOST})
      order by w.requested_at, w.repo_id limit 1 for update of w skip locked)
    update dataset_checks d set status = 'running', seq = next.seq, again = false,
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
