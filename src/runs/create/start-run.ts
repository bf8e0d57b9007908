/**
 * startRun (contract, "Claims and leases"): a worker run that its own trainer creates and claims, in one transaction.
 */

import { newId } from '@hub/formats/ids'
import { requireCredential } from '../../auth/policy.ts'
import { hostedWork } from '../../hosting/hosting-policy.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AccountRef, RequestContext } from '../../operation/context.ts'
import type { Recipe } from '../../planner/recipe/recipe.ts'
import { withTemplate } from '../../planner/run-plan.ts'
import { invalid } from '../../platform/errors.ts'
import { recordCreate } from '../../work/create.ts'
import { assertStillHeld, mayClaim, takeRun } from '../claim/claim-run.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { runJob } from '../run-job.ts'
import { insertQueued, lockNames } from './create-run.ts'
import { billingOwner, type ResolvedRequest, type RunRequest, resolveRequest } from './run-request.ts'

export interface StartRunInput extends RunRequest {
  /** Name of the process that trains. */
  readonly worker: string
}

/**
 * Returns the running run, held by the caller. Errors: 401; 403 for an owner that is unknown or not the caller's; 422
 * for hosted work, and as `resolveRequest`, except that the template may be any text. As for a claim, a replay is
 * rejected if the caller no longer holds the attempt.
 */
export function startRun(ctx: RequestContext, { worker, ...request }: StartRunInput): Promise<Run> {
  return guarded(
    ctx,
    () => billingOwner(ctx, request.owner ?? null),
    async (allowed, owner) => {
      const viewer = requireCredential(allowed.viewer)
      const prepared = await prepareStart(allowed, owner, request)
      return commitVerb(allowed, async (tx) => {
        const locked = await lockNames(tx, viewer, prepared)
        const id = newId('run')
        const made = await insertQueued(tx, { id, viewer, prepared, locked }, true)
        await recordCreate(allowed, tx, runJob, { id, ...made })
        if (!(await takeRun(allowed, tx, viewer, { runId: id, worker })))
          throw new Error('A run was not claimed in the transaction that created it.')
        return readRun(tx, viewer, id)
      })
    },
    async (started) => assertStillHeld(ctx, (await mayClaim(ctx, started.id)).run, started),
  )
}

async function prepareStart(ctx: RequestContext, owner: AccountRef, request: RunRequest): Promise<ResolvedRequest> {
  assertWorkerOnly(request.recipe, owner)
  return resolveRequest(ctx, owner, request, withTemplate(ctx.deps.config, request.recipe.template))
}

/** 422 for hosted work: it is dispatched, priced and perhaps held, so it cannot begin with the request. */
function assertWorkerOnly(recipe: Recipe, { handle }: AccountRef): void {
  const hosted = hostedWork(recipe, false, handle)
  if (!hosted) return
  const detail = `${hosted.what} would be hosted; a started run is executed by the process that starts it. Submit hosted work with POST /v1/runs.`
  throw invalid('validation.value', detail, hosted.loc)
}
