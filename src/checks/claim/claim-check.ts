/**
 * claimRobotCheck (spec, "POST /v1/robot-checks/{check_id}/claim") and claimNextRobotCheck: exactly one of many claims
 * gets a queued check.
 */
import { assertLevel, assertRunsFor } from '../../auth/policy.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { Credentialed, RequestContext } from '../../operation/context.ts'
import type { Tx } from '../../store/db.ts'
import { claimJob } from '../../work/claim.ts'
import { type ClaimNextInput, claimNext, claimsFor } from '../../work/claim-next.ts'
import { checkJob } from '../check-job.ts'
import { assertHolds, findCheck, type HeldCheck, lockCheck, nextStatus } from '../check-row.ts'
import type { RobotCheck } from '../check-shape.ts'
import { readCheck } from '../read/get-check.ts'
import { readSources } from './sources.ts'

export interface ClaimCheckInput {
  readonly checkId: string
  /** Name of the worker. */
  readonly worker: string
}

/**
 * Returns the claimed check with its sources. Errors: 401, 403 if the caller is not of the billed account, 404, 409
 * `conflict.already_claimed` naming the holder, `conflict.terminal`, `conflict.wrong_kind` if the check is hosted and
 * the credential is not that of its call.
 */
export function claimCheck(ctx: RequestContext, input: ClaimCheckInput): Promise<RobotCheck> {
  return guarded(
    ctx,
    () => mayClaim(ctx, input.checkId),
    (allowed, { credential }) =>
      commitVerb(allowed, async (tx) => {
        const claimed = await take(allowed, tx, credential, input)
        if (claimed) return claimed
        nextStatus('claim', await lockCheck(tx, input.checkId), credential)
        throw new Error('The check could be claimed, and was not.')
      }),
    // No replay after the claim was lost, because a worker that reads a claim starts to work.
    async (_claimed, { check }) => assertHolds(ctx, check),
  )
}

/**
 * The claimed check, or null if none became available in time. Errors: 401, 403 also for an owner that is unknown or
 * not the caller's.
 */
export function claimNextCheck(
  ctx: RequestContext,
  { worker, waitS, owner }: ClaimNextInput,
): Promise<RobotCheck | null> {
  return guarded(
    ctx,
    () => claimsFor(ctx, assertLevel(ctx.viewer, 'write'), owner ?? null, 'checks'),
    (allowed, credential) =>
      claimNext(allowed, checkJob, { credential, waitS: waitS ?? 0 }, (tx, checkId) =>
        take(allowed, tx, credential, { checkId, worker }),
      ),
    async (claimed) => {
      // A null result is never stored for replays.
      if (claimed) assertHolds(ctx, (await mayClaim(ctx, claimed.id)).check)
    },
  )
}

async function mayClaim(ctx: RequestContext, id: string): Promise<{ check: HeldCheck; credential: Credentialed }> {
  const check = await findCheck(ctx, id)
  return { check, credential: assertRunsFor(ctx.viewer, check.ownerId, 'write', 'The check') }
}

/** Claims a queued check in the caller's transaction; null if the check cannot be claimed. */
async function take(
  ctx: RequestContext,
  tx: Tx,
  { credentialId }: Credentialed,
  { checkId, worker }: ClaimCheckInput,
): Promise<RobotCheck | null> {
  // Checks have no lease, so its length is ignored.
  const taken = await claimJob(ctx, tx, checkJob, { jobId: checkId, worker, credentialId, leaseSeconds: 0 })
  if (!taken) return null
  return { ...(await readCheck(tx, ctx.viewer, checkId)), sources: await readSources(tx, checkId) }
}
