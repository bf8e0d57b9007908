/**
 * claimNextRun (contract, "Claims and leases"): the oldest queued worker run that the caller may claim, at once or as
 * soon as there is one.
 */
import { assertLevel } from '../../auth/policy.ts'
import { guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import { type ClaimNextInput, claimNext, claimsFor } from '../../work/claim-next.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { runJob } from '../run-job.ts'
import { assertStillHeld, mayClaim, takeRun } from './claim-run.ts'

/**
 * The claimed run, or null if none became available in time. Errors: 401, 403 also for an owner that is unknown or not
 * the caller's.
 */
export function claimNextRun(ctx: RequestContext, { worker, waitS, owner }: ClaimNextInput): Promise<Run | null> {
  return guarded(
    ctx,
    () => claimsFor(ctx, assertLevel(ctx.viewer, 'train'), owner ?? null, 'runs'),
    (allowed, credential) =>
      claimNext(allowed, runJob, { credential, waitS: waitS ?? 0 }, async (tx, runId) =>
        (await takeRun(allowed, tx, credential, { runId, worker })) ? readRun(tx, allowed.viewer, runId) : null,
      ),
    async (claimed) => {
      // A null result is never stored for replays.
      if (claimed) assertStillHeld(ctx, (await mayClaim(ctx, claimed.id)).run, claimed)
    },
  )
}
