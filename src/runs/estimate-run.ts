/** estimateRun (spec, "POST /v1/runs/estimate"): what createRun would refuse, and the most that the run can cost. Writes nothing. */
import type { RequestContext } from '../context.ts'
import { hostedWork, ownerRefusal } from '../hosting/hosting-policy.ts'
import { estimateOf, type RunEstimate } from '../planner/estimate.ts'
import { assertImplemented } from '../planner/run-plan.ts'
import { commitVerb } from '../verb.ts'
import { type RunRequest, resolveRequest } from './run-request.ts'

/** Errors: as `resolveRequest`; 503 a planned template; 403 hosted work for an owner that is not hosted. A hosted run is priced on every deployment. */
export async function estimateRun(ctx: RequestContext, request: RunRequest): Promise<RunEstimate> {
  const { recipe, plan, owner } = await resolveRequest(ctx, request)
  assertImplemented(plan.template)
  const work = hostedWork(recipe, plan.template.isSim, owner.handle)
  const refusal = work && ownerRefusal(work, ctx.deps.config.hosted)
  if (refusal) throw refusal
  const estimate = estimateOf(plan)
  // It changes nothing: only an answer that is to be replayed needs a transaction.
  return ctx.idempotency ? commitVerb(ctx, async () => estimate) : estimate
}
