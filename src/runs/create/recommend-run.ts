/**
 * recommendRun (spec, "POST /v1/runs/recommend"): the tier that a recipe needs, with the arithmetic. Writes nothing,
 * and answers for planned templates too.
 */
import type { RequestContext } from '../../operation/context.ts'
import { readMeasured } from '../../planner/measured.ts'
import { readDataset } from '../../planner/read-dataset.ts'
import { measuredBatch, type RunRecommendation, recommendOf } from '../../planner/recommend.ts'
import { assertSelections } from './named-repos.ts'
import { billingOwner, type RunRequest, resolveRequest } from './run-request.ts'

/**
 * Errors: as `resolveRequest`; 422 for a selection that a data set does not have. A dataset that cannot be read is a
 * warning.
 */
export async function recommendRun(ctx: RequestContext, request: RunRequest): Promise<RunRecommendation> {
  const owner = await billingOwner(ctx, request.owner ?? null)
  const { recipe, plan } = await resolveRequest(ctx, owner, request)
  await assertSelections(ctx, recipe)
  const { config, db } = ctx.deps
  const key = { template: plan.template.name, batchSize: measuredBatch(plan, recipe), tiers: config.tiers }
  const [read, measured] = await Promise.all([readDataset(ctx, recipe), readMeasured(db, owner.id, key)])
  const facts = { recipe, plan, dataset: read.dataset, datasetWarnings: read.warnings, measured, settings: config }
  return recommendOf(facts)
}
