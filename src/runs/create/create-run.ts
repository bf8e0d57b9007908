/** createRun (spec, "POST /v1/runs"): a queued run, pinned to the datasets that it names. */

import { requireCredential } from '../../auth/policy.ts'
import { agentRefusal, appRefusal, type HostedWork, hostedWork, ownerRefusal } from '../../hosting/hosting-policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AccountRef, AllowedContext, Credentialed, RequestContext } from '../../operation/context.ts'
import { filledRecipe, type RunExecutor, recipeHash } from '../../planner/recipe/recipe.ts'
import { assertImplemented } from '../../planner/run-plan.ts'
import { newId } from '../../platform/ids.ts'
import type { Usd } from '../../platform/money.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { announceWaiting } from '../../work/waiting.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { runJob } from '../run-job.ts'
import { insertNamedRepos, lockNamedRepos, type NamedRepos } from './named-repos.ts'
import { assertGpuHours } from './reserve-gpu-hours.ts'
import { billingOwner, lockParent, type ResolvedRequest, type RunRequest, resolveRequest } from './run-request.ts'

const insertRun = statement({
  name: 'run-insert',
  params: {
    id: param<string>(),
    executor: param<RunExecutor>(),
    ownerId: param<string>(),
    createdBy: param<string | null>(),
    filedBy: param<string>(),
    template: param<string>(),
    robot: param<string | null>(),
    /** JSON. */
    recipe: param<string>(),
    recipeHash: param<string>(),
    gpuType: param<string | null>(),
    maxHours: param<number>(),
    budgetUsd: param<Usd | null>(),
    priced: param<boolean>(),
    rateUsdPerHour: param<Usd | null>(),
    parentRunId: param<string | null>(),
    repoIds: param<readonly string[]>(),
  },
  text: `insert into runs (id, kind, status, executor, owner_id, created_by, filed_by, template, robot, recipe, recipe_hash, gpu_type, max_hours,
      budget_usd, priced, rate_usd_per_hour, parent_run_id, repo_ids)
    values (:id, 'cloud', 'queued', :executor::"RunExecutor", :ownerId, :createdBy, :filedBy, :template, :robot, :recipe::json, :recipeHash, :gpuType,
      :maxHours, :budgetUsd, :priced, :rateUsdPerHour, :parentRunId, :repoIds)`,
})

/**
 * Errors: as `resolveRequest`; 503 a planned template; hosted work: 503 no hosted app, 403 an owner that is not hosted, 403 an agent's key, 429
 * `quota.gpu_hours` with its headers. Of a run that is refused nothing is recorded.
 */
export function createRun(ctx: RequestContext, request: RunRequest): Promise<Run> {
  return guarded(
    ctx,
    () => billingOwner(ctx, request.owner ?? null),
    (allowed, owner) => make(allowed, owner, request),
  )
}

async function make(ctx: AllowedContext, owner: AccountRef, request: RunRequest): Promise<Run> {
  const viewer = requireCredential(ctx.viewer)
  const resolved = await resolveRequest(ctx, owner, request)
  const { recipe, plan } = resolved
  assertImplemented(plan.template)
  assertHosted(ctx, viewer, hostedWork(recipe, plan.template.isSim, owner.handle))
  const id = newId('run')
  return commitVerb(ctx, async (tx) => {
    const named = await lockNamedRepos(tx, viewer, recipe)
    await lockParent(tx, resolved.parent)
    if (plan.isPriced) await assertGpuHours(tx, viewer, plan.maxHours, ctx.deps.config.runs.dailyGpuHourQuota)
    await tx.query(insertRun, runValues(id, viewer, resolved, named))
    await insertNamedRepos(tx, { id, ownerId: owner.id }, named)
    await announce(ctx, tx, id, resolved)
    return readRun(tx, viewer, id)
  })
}

/** The order of refusal: no app, not an owner of the list, an agent. */
function assertHosted(ctx: RequestContext, viewer: Credentialed, work: HostedWork | null): void {
  if (!work) return
  const { hosted } = ctx.deps.config
  const refusal = appRefusal(work, hosted) ?? ownerRefusal(work, hosted) ?? agentRefusal(work, viewer.agent)
  if (refusal) throw refusal
}

function runValues(id: string, viewer: Credentialed, resolved: ResolvedRequest, named: NamedRepos) {
  const { plan, owner, parent } = resolved
  const recipe = filledRecipe(resolved.recipe)
  return {
    id,
    executor: plan.executor,
    ownerId: owner.id,
    createdBy: viewer.personId,
    filedBy: viewer.credentialId,
    template: recipe.template,
    robot: recipe.robot ?? null,
    recipe: JSON.stringify(recipe),
    recipeHash: recipeHash(recipe),
    gpuType: plan.tier?.tier ?? null,
    maxHours: plan.maxHours,
    budgetUsd: plan.budgetUsd,
    priced: plan.isPriced,
    rateUsdPerHour: plan.isPriced ? plan.rateUsdPerHour : null,
    parentRunId: parent?.id ?? null,
    repoIds: named.ids,
  }
}

async function announce(ctx: RequestContext, tx: Tx, id: string, { plan, owner, recipe }: ResolvedRequest) {
  const after = { template: recipe.template, executor: plan.executor, gpuType: plan.tier?.tier ?? null }
  await audit(tx, ctx, { action: 'run.create', accountId: owner.id, targetId: id, after })
  if (plan.executor === 'worker') announceWaiting(tx, ctx.deps, runJob, owner.id)
  else await ctx.deps.queue.send(tx, 'run-dispatch', { runId: id })
}
