/**
 * createRun (spec, "POST /v1/runs"): a queued run, pinned to the datasets that it names, or the spend hold of an
 * agent's hosted run.
 */

import { lockAccounts } from '../../accounts/lock-accounts.ts'
import type { SpendHold } from '../../billing/holds/hold-shape.ts'
import { reserveSpend } from '../../billing/reservations.ts'
import { appRefusal, type HostedWork, hostedWork, ownerRefusal } from '../../hosting/hosting-policy.ts'
import type { AccountRef, Credentialed, RequestContext, Viewer } from '../../operation/context.ts'
import { estimateOf } from '../../planner/estimate.ts'
import { filledRecipe, recipeHash } from '../../planner/recipe/recipe.ts'
import { assertImplemented } from '../../planner/run-plan.ts'
import type { Usd } from '../../platform/money.ts'
import type { Tx } from '../../store/db.ts'
import { insertInto } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { type CreateKind, createJob, type JobToMake, type MadeJob } from '../../work/create.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import { keptParams } from '../kept-fields.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { countedRecipe } from '../report/run-storage.ts'
import { runJob } from '../run-job.ts'
import { findRun } from '../run-row.ts'
import { heldRun, runOfRecord } from './held-run.ts'
import { insertNamedRepos, lockNamedRepos, type NamedRepos } from './named-repos.ts'
import { assertGpuHours, gpuHoursAccountId } from './reserve-gpu-hours.ts'
import { billingOwner, lockParent, type ResolvedRequest, type RunRequest, resolveRequest } from './run-request.ts'

const runRow = insertInto('runs', {
  id: param.text(),
  kind: 'cloud',
  status: 'queued',
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
  ...keptParams,
})

const insertRun = statement({
  name: 'run-insert',
  params: runRow.params,
  text: runRow.sql,
})

/** A request that was validated outside of the transaction that creates its run. */
export interface PreparedRun extends ResolvedRequest {
  readonly request: RunRequest
  readonly hosted: HostedWork | null
}

/** How a run is created. */
export const runCreation: CreateKind<RunRequest, AccountRef, PreparedRun, NamedRepos, JobExecutor, Run> = {
  job: runJob,
  scope: 'train',
  mayMake: (ctx, request) => billingOwner(ctx, request.owner ?? null),
  prepare,
  lock: (_ctx, tx, viewer, prepared) => lockNames(tx, viewer, prepared),
  mostUsd: (_ctx, _tx, { plan }) => estimateOf(plan).costUsdMax,
  reserve,
  insert: insertQueued,
  find: findRun,
  read: readRun,
  ofRecord: runOfRecord,
}

/**
 * Returns the run; for hosted work that an agent's key requests, the spend hold, since GPU work is never within the
 * free allowance. Errors: as `resolveRequest`; 503 for a planned template; for hosted work, 503 without a hosted app,
 * then 403 for an owner that is not hosted; 429 `quota.gpu_hours` with its headers, `quota.spend_cap`,
 * `quota.spend_holds`.
 */
export function createRun(ctx: RequestContext, request: RunRequest): Promise<Run | SpendHold> {
  return createJob(ctx, runCreation, request)
}

async function prepare(ctx: RequestContext, owner: AccountRef, request: RunRequest): Promise<PreparedRun> {
  const resolved = await resolveRequest(ctx, owner, request)
  assertImplemented(resolved.plan.template)
  const hosted = hostedWork(resolved.recipe, resolved.plan.template.isSim, owner.handle)
  const refusal = hosted && (appRefusal(hosted, ctx.deps.config.hosted) ?? ownerRefusal(hosted, ctx.deps.config.hosted))
  if (refusal) throw refusal
  return { ...resolved, request, hosted }
}

/**
 * Locks the repos and the parent that a request names, so that none is deleted before the run refers to it. Must come
 * first in the transaction.
 */
export async function lockNames(tx: Tx, viewer: Viewer, { recipe, parent }: ResolvedRequest): Promise<NamedRepos> {
  const named = await lockNamedRepos(tx, viewer, recipe)
  await lockParent(tx, parent)
  return named
}

type RunToMake = JobToMake<ResolvedRequest, NamedRepos>

/**
 * Inserts a queued run with its datasets and references. `isSelfStarted`: the process that creates the run executes it;
 * it waits for no other runner.
 */
export async function insertQueued(
  tx: Tx,
  { id, viewer, prepared, locked }: RunToMake,
  isSelfStarted = false,
): Promise<MadeJob> {
  const { owner, plan, recipe } = prepared
  const values = runValues(id, viewer, prepared, locked)
  await tx.query(insertRun, { ...values, selfStarted: isSelfStarted })
  await insertNamedRepos(tx, { id, ownerId: owner.id }, locked)
  const audited = { template: recipe.template, executor: plan.executor, gpuType: plan.tier?.tier ?? null }
  return { ownerId: owner.id, executor: plan.executor, audited, keptBytes: countedRecipe(values.recipe) }
}

/**
 * Checks the GPU hours of a priced run (429 `quota.gpu_hours`), then reserves the most that it can cost (429
 * `quota.spend_cap`).
 */
async function reserve(
  ctx: RequestContext,
  tx: Tx,
  { id, viewer, prepared }: JobToMake<PreparedRun, NamedRepos>,
  isApproved: boolean,
) {
  const { plan, owner, hosted } = prepared
  if (hosted && viewer.agent && !isApproved) return { held: heldRun(prepared) }
  const place = plan.executor
  if (!plan.isPriced) return { place }
  await lockAccounts(tx, [gpuHoursAccountId(viewer), owner.id])
  await assertGpuHours(tx, viewer, plan.maxHours, ctx.deps.config.runs.dailyGpuHourQuota)
  const amountUsd = estimateOf(plan).costUsdMax
  const job = { jobId: id, jobKind: 'run', isAllowance: false, coversTo: null } as const
  await reserveSpend(tx, ctx, { ...job, accountId: owner.id, amountUsd })
  return { place }
}

function runValues(id: string, viewer: Credentialed, resolved: ResolvedRequest, named: NamedRepos) {
  const { plan, owner, parent, kept } = resolved
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
    ...kept,
  }
}
