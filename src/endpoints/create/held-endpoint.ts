/** An endpoint as a spend hold records it. */
import { z } from 'zod'
import type { HeldRequest } from '../../billing/holds/file-hold.ts'
import type { AccountRef } from '../../operation/context.ts'
import type { Querier } from '../../store/db.ts'
import type { CreateEndpointInput, EndpointPlan } from './plan-endpoint.ts'
import { type EndpointLimits, mostOf } from './reserve-endpoint.ts'

/** The request in the names of `/v1`, with the members that were given. */
export function recordedEndpoint(input: CreateEndpointInput): Readonly<Record<string, unknown>> {
  const { modelRepo, onnxPath, policyPath, executor, owner, name, params, maxHours, budgetUsd } = input
  const members = {
    model_repo: modelRepo,
    onnx_path: onnxPath,
    policy_path: policyPath,
    executor,
    owner,
    name,
    params,
    max_hours: maxHours,
    budget_usd: budgetUsd,
  }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null))
}

/** What `recordedEndpoint` wrote. */
const recorded = z.object({
  model_repo: z.string(),
  onnx_path: z.string().optional(),
  policy_path: z.string().optional(),
  executor: z.enum(['worker', 'hosted']).optional(),
  owner: z.string().optional(),
  name: z.string().optional(),
  params: z.number().optional(),
  max_hours: z.number().optional(),
  budget_usd: z.number().optional(),
})

/** The request of a record. */
export function endpointOfRecord(record: unknown): CreateEndpointInput {
  const { executor, owner, name, params, ...rest } = recorded.parse(record)
  return {
    modelRepo: rest.model_repo,
    onnxPath: rest.onnx_path ?? null,
    policyPath: rest.policy_path ?? null,
    executor: executor ?? null,
    owner: owner ?? null,
    name: name ?? null,
    params: params ?? null,
    maxHours: rest.max_hours ?? null,
    budgetUsd: rest.budget_usd ?? null,
  }
}

/** A hosted endpoint that a person has to approve. */
interface AskedEndpoint {
  readonly owner: AccountRef
  readonly input: CreateEndpointInput
  readonly plan: EndpointPlan
  readonly limits: EndpointLimits
}

/** The free allowance covers no GPU work, so its share is nothing. */
export async function heldEndpoint(tx: Querier, asked: AskedEndpoint): Promise<HeldRequest> {
  const { owner, input } = asked
  const mostUsd = await mostOf(tx, asked.limits)
  return {
    kind: 'endpoint',
    accountId: owner.id,
    request: recordedEndpoint(input),
    summary: summaryOf(asked),
    estimateUsd: mostUsd,
    reserveUsd: mostUsd,
    allowanceUsd: '0.0000',
  }
}

function summaryOf({ owner, input, plan, limits }: AskedEndpoint): string {
  const { sizing, artifact } = plan
  const { rateUsdPerHour, maxHours, budgetUsd } = limits
  const path = artifact.path === '' ? '' : ` (${artifact.path})`
  const hours = maxHours === null ? '' : ` for up to ${maxHours} h`
  const budget = budgetUsd === null ? '' : ` with a budget of ${budgetUsd} USD`
  return `Serve ${input.modelRepo}${path} for ${owner.handle} on a hosted ${sizing.tier.tier} at ${rateUsdPerHour} USD/h${hours}${budget}.`
}
