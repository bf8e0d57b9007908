/** A worker takes what has waited longest of such work, for a lease; exactly one of many claims gets it. */
import { assertLevel } from '../auth/policy.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, Credentialed, RequestContext } from '../operation/context.ts'
import { findRepoByIdToWrite } from '../repos/get-repo.ts'
import type { Tx } from '../store/db.ts'
import { type ClaimNextInput, claimsFor, unlessNothing, untilClaimed } from './claim-next.ts'
import { assertHolds, type Leased, type LeasedKind, waitingTopic } from './leased-row.ts'

/** How one kind is claimed. */
export interface ClaimedKind<Row extends Leased> extends LeasedKind<Row> {
  /** Takes the oldest, with its entry of the audit log; null where there is none. */
  take(ctx: AllowedContext, tx: Tx, credential: Credentialed, worker: string): Promise<Row | null>
  /** As it is now; an error where it is gone. */
  again(ctx: RequestContext, row: Row): Promise<Row>
}

/** The claimed row, or null if none became available in time. Errors: 401, 403. */
export function claimLeased<Row extends Leased>(
  ctx: RequestContext,
  kind: ClaimedKind<Row>,
  { worker, waitS, owner }: ClaimNextInput,
): Promise<Row | null> {
  return guarded(
    ctx,
    () => claimsFor(ctx, assertLevel(ctx.viewer, 'write'), owner ?? null, kind.plural),
    (allowed, credential) => {
      const topics = credential.accountIds.map((id) => waitingTopic(kind, id))
      return untilClaimed(allowed, { topics, waitS: waitS ?? 0 }, () =>
        unlessNothing((nothing) =>
          commitVerb(allowed, async (tx) => {
            const row = await kind.take(allowed, tx, credential, worker)
            if (!row) throw nothing
            return row
          }),
        ),
      )
    },
    async (claimed) => {
      // A worker that reads a claim starts to work: no replay after the claim was lost.
      if (!claimed) return
      await findRepoByIdToWrite(ctx, claimed.repoId, claimed.repo)
      assertHolds(ctx, kind, await kind.again(ctx, claimed), claimed.attempt)
    },
  )
}
