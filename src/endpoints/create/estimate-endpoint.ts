/** estimateEndpoint (spec, "POST /v1/endpoints/estimate"): what createEndpoint would refuse, and the most that so many hours can cost. Writes nothing. */
import { ownerRefusal } from '../../hosting/hosting-policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { mostOfHours, type Usd, usdLess, usdLimit } from '../../platform/money.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import type { EndpointArtifact } from '../endpoint-shape.ts'
import { pinnedOf } from './create-endpoint.ts'
import {
  assertLongEnough,
  type EndpointPlan,
  type EndpointRequest,
  findServed,
  hostedPart,
  mayServe,
  planOf,
  readDeclared,
} from './plan-endpoint.ts'

export interface EstimateEndpointInput extends EndpointRequest {
  /** Default 1. */
  readonly hours?: number | null
}

export interface EndpointEstimate {
  readonly executor: JobExecutor
  readonly tier: string
  readonly params: number
  readonly vramBytes: number
  /** 0 where it is not priced. */
  readonly rateUsdPerHour: Usd
  readonly hours: number
  readonly costUsdMax: Usd
  readonly budgetUsd: Usd | null
  readonly cappedByBudget: boolean
  readonly priced: boolean
  readonly artifact: EndpointArtifact
  readonly notes: readonly string[]
}

/** Errors: as createEndpoint, save that a hosted estimate is priced where nothing can be hosted, and to an agent. */
export async function estimateEndpoint(ctx: RequestContext, input: EstimateEndpointInput): Promise<EndpointEstimate> {
  const { repo, owner } = await mayServe(ctx, input)
  assertLongEnough(input, 'hours', input.hours)
  const found = await findServed(ctx.deps.db, ctx.viewer, repo.id, input)
  const plan = planOf(found, await readDeclared(ctx, found, input), input, ctx.deps.config.tiers)
  const work = hostedPart(input, owner)
  const refusal = work && ownerRefusal(work, ctx.deps.config.hosted)
  if (refusal) throw refusal
  return estimateOf(plan, input.hours ?? 1, input.budgetUsd ?? null)
}

/** The most that so many hours of a planned endpoint can cost. Pure. */
export function estimateOf(plan: EndpointPlan, hours: number, budget: number | null): EndpointEstimate {
  const { executor, sizing, rateUsdPerHour } = plan
  const budgetUsd = budget === null ? null : usdLimit(budget)
  const rate = rateUsdPerHour ?? '0.0000'
  const uncapped = mostOfHours(rate, hours)
  const costUsdMax = budgetUsd === null ? uncapped : usdLess(uncapped, budgetUsd)
  return {
    executor,
    tier: sizing.tier.tier,
    params: sizing.params,
    vramBytes: sizing.vramBytes,
    rateUsdPerHour: rate,
    hours,
    costUsdMax,
    budgetUsd,
    cappedByBudget: costUsdMax !== uncapped,
    priced: rateUsdPerHour !== null,
    artifact: pinnedOf(plan),
    notes: notesOf(plan),
  }
}

/** What the bytes of a checkpoint's weights do not cover. */
function notesOf({ artifact, policyFormat }: EndpointPlan): string[] {
  if (artifact.kind === 'onnx') return []
  const base = 'vram_bytes counts the weights of the base model and the adapter only as far as params does.'
  return [
    'vram_bytes covers the weights in bf16 and 20 % headroom. Activations, caches of attention and image preprocessing come on top, and grow with cameras and chunk length.',
    ...(policyFormat === 'vla-lib-peft' ? [base] : []),
  ]
}
