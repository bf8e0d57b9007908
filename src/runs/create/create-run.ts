/** createRun (spec, "POST /v1/runs"): a queued run, pinned to the datasets that it names, or the spend hold of an agent's hosted run. */

import { newId } from '@hub/formats/ids'
import { requireCredential } from '../../auth/policy.ts'
import type { Approval } from '../../billing/holds/approval.ts'
import { fileHold } from '../../billing/holds/file-hold.ts'
import { assertMadeVisible } from '../../billing/holds/get-hold.ts'
import type { SpendHold } from '../../billing/holds/hold-shape.ts'
import { lockAccounts } from '../../billing/lock-accounts.ts'
import { reserveSpend } from '../../billing/reservations.ts'
import { appRefusal, type HostedWork, hostedWork, ownerRefusal } from '../../hosting/hosting-policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AccountRef, Credentialed, RequestContext, Viewer } from '../../operation/context.ts'
import { estimateOf } from '../../planner/estimate.ts'
import { filledRecipe, recipeHash } from '../../planner/recipe/recipe.ts'
import { assertImplemented } from '../../planner/run-plan.ts'
import type { Usd } from '../../platform/money.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { announceWaiting } from '../../work/waiting.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { runJob } from '../run-job.ts'
import { findRun } from '../run-row.ts'
import { heldRun } from './held-run.ts'
import { insertNamedRepos, lockNamedRepos, type NamedRepos } from './named-repos.ts'
import { assertGpuHours, gpuHoursAccountId } from './reserve-gpu-hours.ts'
import { billingOwner, lockParent, type ResolvedRequest, type RunRequest, resolveRequest } from './run-request.ts'

const insertRun = statement({
  name: 'run-insert',
  params: {
    id: param.text(),
    executor: param.enum('RunExecutor'),
    ownerId: param.text(),
    createdBy: param.text.orNull(),
    filedBy: param.text(),
    template: param.text(),
    robot: param.text.orNull(),
    robotRepoId: param.text.orNull(),
    /** JSON. */
    recipe: param.json(),
    recipeHash: param.text(),
    gpuType: param.text.orNull(),
    maxHours: param.numeric<number>(),
    budgetUsd: param.numeric.orNull<Usd>(),
    priced: param.bool(),
    rateUsdPerHour: param.numeric.orNull<Usd>(),
    parentRunId: param.text.orNull(),
    repoIds: param.texts(),
    selfStarted: param.bool(),
  },
  text: `insert into runs (id, kind, status, executor, owner_id, created_by, filed_by, template, robot, robot_repo_id, recipe, recipe_hash, gpu_type, max_hours,
      budget_usd, priced, rate_usd_per_hour, parent_run_id, repo_ids, self_started)
    values (:id, 'cloud', 'queued', :executor::"RunExecutor", :ownerId, :createdBy, :filedBy, :template, :robot, :robotRepoId, :recipe::json, :recipeHash, :gpuType,
      :maxHours, :budgetUsd, :priced, :rateUsdPerHour, :parentRunId, :repoIds, :selfStarted)`,
})

/** A request that was validated outside of the transaction that creates its run. */
export interface PreparedRun extends ResolvedRequest {
  readonly request: RunRequest
  readonly hosted: HostedWork | null
}

/**
 * Returns the run; for hosted work that an agent's key requests, the spend hold, since GPU work is never within the free allowance. Errors: as
 * `prepareRun`; 429 `quota.gpu_hours` with its headers, `quota.spend_cap`, `quota.spend_holds`. A run that is refused or held has no row.
 */
export function createRun(ctx: RequestContext, request: RunRequest): Promise<Run | SpendHold> {
  return guarded(
    ctx,
    () => billingOwner(ctx, request.owner ?? null),
    async (allowed, owner) => {
      const prepared = await prepareRun(allowed, owner, request)
      return commitVerb(allowed, (tx) => makeRun(allowed, tx, prepared, null))
    },
    (made) => assertMadeVisible(ctx, made, (id) => findRun(ctx, id)),
  )
}

/**
 * Errors: as `resolveRequest`; 503 for a planned template; for hosted work, 503 without a hosted app, then 403 for an owner that is not hosted. Writes
 * nothing.
 */
export async function prepareRun(ctx: RequestContext, owner: AccountRef, request: RunRequest): Promise<PreparedRun> {
  const resolved = await resolveRequest(ctx, owner, request)
  assertImplemented(resolved.plan.template)
  const hosted = hostedWork(resolved.recipe, resolved.plan.template.isSim, owner.handle)
  const refusal = hosted && (appRefusal(hosted, ctx.deps.config.hosted) ?? ownerRefusal(hosted, ctx.deps.config.hosted))
  if (refusal) throw refusal
  return { ...resolved, request, hosted }
}

/** Creates the run of a prepared request in `tx`, as the viewer of `ctx`. `approval` is that of the request's hold; null for a request without a hold. */
export async function makeRun(
  ctx: RequestContext,
  tx: Tx,
  prepared: PreparedRun,
  approval: Approval | null,
): Promise<Run | SpendHold> {
  const viewer = requireCredential(ctx.viewer)
  const { plan } = prepared
  const named = await lockNames(tx, viewer, prepared)
  const id = newId('run')
  if (approval) await approval.take(tx, { jobId: id, mostUsd: estimateOf(plan).costUsdMax })
  else if (prepared.hosted && viewer.agent) return fileHold(ctx, tx, heldRun(prepared))
  if (plan.isPriced) await reserve(ctx, tx, viewer, id, prepared)
  await insertQueued(ctx, tx, { id, prepared, named, selfStarted: false })
  await announce(ctx, tx, id, prepared)
  return readRun(tx, viewer, id)
}

/** Locks the repos and the parent that a request names, so that none is deleted before the run refers to it. Must come first in the transaction. */
export async function lockNames(tx: Tx, viewer: Viewer, { recipe, parent }: ResolvedRequest): Promise<NamedRepos> {
  const named = await lockNamedRepos(tx, viewer, recipe)
  await lockParent(tx, parent)
  return named
}

interface NewRun {
  readonly id: string
  readonly prepared: ResolvedRequest
  readonly named: NamedRepos
  /** The process that created the run executes it. The run waits for no other runner, not even after a lost lease. */
  readonly selfStarted: boolean
}

/** Inserts a queued run with its datasets, references and audit row. Announcing the run is left to the caller. */
export async function insertQueued(ctx: RequestContext, tx: Tx, run: NewRun): Promise<void> {
  const { id, prepared, named, selfStarted } = run
  const { owner, plan, recipe } = prepared
  const viewer = requireCredential(ctx.viewer)
  await tx.query(insertRun, { ...runValues(id, viewer, prepared, named), selfStarted })
  await insertNamedRepos(tx, { id, ownerId: owner.id }, named)
  const after = { template: recipe.template, executor: plan.executor, gpuType: plan.tier?.tier ?? null }
  await audit(tx, ctx, { action: 'run.create', accountId: owner.id, targetId: id, after })
}

/** Checks the GPU hours (429 `quota.gpu_hours`), then reserves the most that the run can cost (429 `quota.spend_cap`). */
async function reserve(
  ctx: RequestContext,
  tx: Tx,
  viewer: Credentialed,
  id: string,
  { plan, owner }: ResolvedRequest,
) {
  await lockAccounts(tx, [gpuHoursAccountId(viewer), owner.id])
  await assertGpuHours(tx, viewer, plan.maxHours, ctx.deps.config.runs.dailyGpuHourQuota)
  const amountUsd = estimateOf(plan).costUsdMax
  const job = { jobId: id, jobKind: 'run', isAllowance: false, coversTo: null } as const
  await reserveSpend(tx, ctx, { ...job, accountId: owner.id, amountUsd })
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
    robotRepoId: named.robotId,
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

async function announce(ctx: RequestContext, tx: Tx, id: string, { plan, owner }: ResolvedRequest) {
  tx.afterCommit(() => ctx.deps.events.hint(id))
  if (plan.executor === 'worker') announceWaiting(tx, ctx.deps, runJob, owner.id)
  else await ctx.deps.queue.send(tx, 'hosted-dispatch', { jobId: id })
}
