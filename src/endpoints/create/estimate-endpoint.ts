/**
 * estimateEndpoint (spec, "POST /v1/endpoints/estimate"): what createEndpoint would refuse, and the most that so many
 * hours can cost. Writes nothing.
 */
import type { RequestContext } from '../../operation/context.ts'
import { mostOfHours, type Usd, usdLess } from '../../platform/money.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import type { EndpointArtifact } from '../endpoint-shape.ts'
import { limitsOf, pinnedOf } from './create-endpoint.ts'
import { judgeRequest } from './judge-request.ts'
import { type EndpointPlan, type EndpointRequest, mayServe } from './plan-endpoint.ts'
import { type Reserved, reservedBy } from './reserve-endpoint.ts'

export interface EstimateEndpointInput extends EndpointRequest {
  /** Default 1. Given, they are those that end the endpoint. */
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
  /** What creating it reserves, with the given hours as its `max_hours`; null where it is not priced. */
  readonly reservation: Reserved | null
}

/**
 * Errors: as createEndpoint, save that a hosted estimate is priced where nothing can be hosted, and that no hold is
 * filed and no limit of the month looked at.
 */
export async function estimateEndpoint(ctx: RequestContext, input: EstimateEndpointInput): Promise<EndpointEstimate> {
  const granted = await mayServe(ctx, input)
  const end = { hours: input.hours ?? null, member: 'hours' } as const
  const { plan } = await judgeRequest(ctx, granted, input, { end, needsApp: false })
  const { rateUsdPerHour } = plan
  const limits = limitsOf({ maxHours: end.hours, budgetUsd: input.budgetUsd ?? null })
  const reservation = rateUsdPerHour === null ? null : await reservedBy(ctx.deps.db, { ...limits, rateUsdPerHour })
  return { ...estimateOf(plan, end.hours ?? 1, limits.budgetUsd), reservation }
}

/** The most that so many hours of a planned endpoint can cost. Pure. */
export function estimateOf(
  plan: EndpointPlan,
  hours: number,
  budgetUsd: Usd | null,
): Omit<EndpointEstimate, 'reservation'> {
  const { executor, sizing, rateUsdPerHour } = plan
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
    'vram_bytes covers the weights in bf16 and 20 % headroom. Activations, caches of attention and image ' +
      'preprocessing come on top, and grow with cameras and chunk length.',
    ...(policyFormat === 'vla-lib-peft' ? [base] : []),
  ]
}
