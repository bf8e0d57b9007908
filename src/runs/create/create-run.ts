/** createRun (spec, "POST /v1/runs"): a queued run, pinned to the datasets that it names. */

import { requireCredential } from '../../auth/policy.ts'
import { agentRefusal, appRefusal, type HostedWork, hostedWork, ownerRefusal } from '../../hosting/hosting-policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AccountRef, AllowedContext, Credentialed, RequestContext } from '../../operation/context.ts'
import { filledRecipe, recipeHash } from '../../planner/recipe/recipe.ts'
import { assertImplemented } from '../../planner/run-plan.ts'
import { newId } from '../../platform/ids.ts'
import type { Statement, Tx } from '../../store/db.ts'
import { announceWaiting } from '../../work/waiting.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { runJob } from '../run-job.ts'
import { insertNamedRepos, lockNamedRepos, type NamedRepos } from './named-repos.ts'
import { assertGpuHours } from './reserve-gpu-hours.ts'
import { billingOwner, lockParent, type ResolvedRequest, type RunRequest, resolveRequest } from './run-request.ts'

const insertRun: Statement<never> = {
  name: 'run-insert',
  text: `insert into runs (id, kind, status, executor, owner_id, created_by, filed_by, template, robot, recipe, recipe_hash, gpu_type, max_hours,
      budget_usd, priced, rate_usd_per_hour, parent_run_id, repo_ids)
    values ($1, 'cloud', 'queued', $2::"RunExecutor", $3, $4, $5, $6, $7, $8::json, $9, $10, $11, $12, $13, $14, $15, $16)`,
}

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

function runValues(id: string, viewer: Credentialed, resolved: ResolvedRequest, named: NamedRepos): unknown[] {
  const { plan, owner, parent } = resolved
  const recipe = filledRecipe(resolved.recipe)
  return [
    id,
    plan.executor,
    owner.id,
    viewer.personId,
    viewer.credentialId,
    recipe.template,
    recipe.robot ?? null,
    JSON.stringify(recipe),
    recipeHash(recipe),
    plan.tier?.tier ?? null,
    plan.maxHours,
    plan.budgetUsd,
    plan.isPriced,
    plan.isPriced ? plan.rateUsdPerHour : null,
    parent?.id ?? null,
    named.ids,
  ]
}

async function announce(ctx: RequestContext, tx: Tx, id: string, { plan, owner, recipe }: ResolvedRequest) {
  const after = { template: recipe.template, executor: plan.executor, gpuType: plan.tier?.tier ?? null }
  await audit(tx, ctx, { action: 'run.create', accountId: owner.id, targetId: id, after })
  if (plan.executor === 'worker') announceWaiting(tx, ctx.deps, runJob, owner.id)
  else await ctx.deps.queue.send(tx, 'run-dispatch', { runId: id })
}
