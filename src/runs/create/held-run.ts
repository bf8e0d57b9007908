/** A run as a spend hold records it. */
import { z } from 'zod'
import type { HeldRequest } from '../../billing/holds/file-hold.ts'
import { estimateOf } from '../../planner/estimate.ts'
import type { Recipe } from '../../planner/recipe/recipe.ts'
import type { ResolvedRequest, RunRequest } from './run-request.ts'

/** The request with the member names of `/v1`; members that were not given are absent. */
export function recordedRun(request: RunRequest): Readonly<Record<string, unknown>> {
  const { recipe, owner, parentRunId, project, name, notes, tags, group, jobType } = request
  const members = { owner, parent_run_id: parentRunId, project, name, notes, tags, group, job_type: jobType }
  return { recipe, ...Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)) }
}

/** The shape that `recordedRun` writes. */
const recorded = z.object({
  recipe: z.custom<Recipe>((value) => typeof value === 'object' && value !== null),
  owner: z.string().optional(),
  parent_run_id: z.string().optional(),
  project: z.string().optional(),
  name: z.string().optional(),
  notes: z.string().optional(),
  tags: z.array(z.string()).optional(),
  group: z.string().optional(),
  job_type: z.string().optional(),
})

/** The inverse of `recordedRun`; throws if `record` is not one of its results. */
export function runOfRecord(record: unknown): RunRequest {
  const { recipe, owner, parent_run_id: parentRunId, job_type: jobType, ...kept } = recorded.parse(record)
  return { recipe, owner: owner ?? null, parentRunId: parentRunId ?? null, ...kept, ...(jobType && { jobType }) }
}

/** The hold of a run. The free allowance covers no GPU work, so its share is 0. */
export function heldRun(resolved: ResolvedRequest & { readonly request: RunRequest }): HeldRequest {
  const { plan, owner, request } = resolved
  const { costUsdMax } = estimateOf(plan)
  return {
    kind: 'run',
    accountId: owner.id,
    request: recordedRun(request),
    summary: summaryOf(resolved),
    estimateUsd: costUsdMax,
    reserveUsd: costUsdMax,
    allowanceUsd: '0.0000',
  }
}

function summaryOf({ plan, owner, recipe }: ResolvedRequest): string {
  const robot = recipe.robot ? ` for ${recipe.robot}` : ''
  if (!plan.isPriced) return `Train ${recipe.template}${robot} for ${owner.handle} on a worker, with hosted rollouts.`
  const budget = plan.budgetUsd === null ? '' : ` and a budget of ${plan.budgetUsd} USD`
  return `Train ${recipe.template}${robot} for ${owner.handle} on a hosted ${plan.tier?.tier}: up to ${plan.maxHours} h at ${plan.rateUsdPerHour} USD/h${budget}.`
}
