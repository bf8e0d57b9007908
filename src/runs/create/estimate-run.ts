/**
 * estimateRun (spec, "POST /v1/runs/estimate"): what createRun would refuse, and the most that the run can cost. Writes
 * nothing.
 */

import { hostedWork, ownerRefusal } from '../../hosting/hosting-policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { estimateOf, type RunEstimate } from '../../planner/estimate.ts'
import { assertImplemented } from '../../planner/run-plan.ts'
import { assertSelections } from './named-repos.ts'
import { billingOwner, type RunRequest, resolveRequest } from './run-request.ts'

/**
 * Errors: as `resolveRequest`; 503 for a planned template; 403 for hosted work of an owner that is not hosted; 422 for a
 * selection that a data set does not have. Hosted runs have an estimate even on a deployment without a hosted app.
 */
export async function estimateRun(ctx: RequestContext, request: RunRequest): Promise<RunEstimate> {
  const owner = await billingOwner(ctx, request.owner ?? null)
  const { recipe, plan } = await resolveRequest(ctx, owner, request)
  assertImplemented(plan.template)
  const work = hostedWork(recipe, plan.template.isSim, owner.handle)
  const refusal = work && ownerRefusal(work, ctx.deps.config.hosted)
  if (refusal) throw refusal
  await assertSelections(ctx, recipe)
  return estimateOf(plan)
}
