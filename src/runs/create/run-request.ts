/**
 * The request of create, estimate and recommend, which accept the same body and apply the same rules. Spec, createRun.
 */
import { accountByHandle } from '../../auth/handle.ts'
import { assertNotJob, repoViewer, requireCredential, visibleRepos } from '../../auth/policy.ts'
import type { AccountRef, RequestContext } from '../../operation/context.ts'
import type { Recipe } from '../../planner/recipe/recipe.ts'
import { type PlannerSettings, planRun, type RunPlan } from '../../planner/run-plan.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import { visibleRepo } from '../../repos/repo-shape.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { filesOfStep } from '../checkpoints/checkpoints.ts'
import { type KeptFields, keptValues } from '../kept-fields.ts'
import { getRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'

export interface RunRequest extends KeptFields {
  readonly recipe: Recipe
  /** Handle of the billed account; absent: the account of the credential. */
  readonly owner?: string | null
  readonly parentRunId?: string | null
}

export interface ResolvedRequest {
  readonly recipe: Recipe
  readonly plan: RunPlan
  readonly owner: AccountRef
  readonly parent: Run | null
  readonly kept: ReturnType<typeof keptValues>
}

/**
 * Resolves the request for an owner that `billingOwner` found. Errors: 422 for an unknown template, an unknown GPU or
 * one that the template is not hosted on, a parent that the caller cannot see, a checkpoint that the parent does not
 * list. `settings` replaces the planner settings of the deployment.
 */
export async function resolveRequest(
  ctx: RequestContext,
  owner: AccountRef,
  request: RunRequest,
  settings: PlannerSettings = ctx.deps.config,
): Promise<ResolvedRequest> {
  const { recipe } = request
  const plan = planRun(recipe, settings)
  const parent = await findParent(ctx, request.parentRunId ?? null)
  await assertCheckpoint(ctx, recipe.parent_checkpoint_step ?? null, parent)
  return { recipe, plan, owner, parent, kept: keptValues(request) }
}

/**
 * The account that is billed for work. An unknown handle and a foreign one give the same 403. The key of a hosted job
 * gets a 403 that names `action`.
 */
export async function billingOwner(
  ctx: RequestContext,
  handle: string | null,
  action = 'submit or import a run',
): Promise<AccountRef> {
  const { account, accountIds } = requireCredential(ctx.viewer)
  assertNotJob(ctx.viewer, action)
  if (handle === null || handle === account.handle) return account
  const [owner] = await ctx.deps.db.query(accountByHandle, { handle })
  if (owner && accountIds.includes(owner.id)) return owner
  const detail = `You are neither ${handle} nor one of its members.`
  throw new HubError('forbidden.scope', detail, {
    items: [{ type: 'forbidden.scope', detail, loc: ['owner'] }],
  })
}

/** The run that the new run descends from; 422 if the caller cannot see it. */
export async function findParent(ctx: RequestContext, id: string | null): Promise<Run | null> {
  if (id === null) return null
  const parent = await getRun(ctx, id)
  if (parent) return parent
  const detail = 'The run does not exist or is not visible to you.'
  throw invalid('validation.value', detail, ['parentRunId'])
}

const idColumn = columns({ id: column.text('id') })

/** Blocks only the deletion of the run. */
const keepParent = statement({
  name: 'run-parent-keep',
  columns: idColumn,
  params: { id: param.text() },
  text: `select ${idColumn.sql} from runs where id = :id for key share`,
})

/** In the transaction that creates the run: locks the parent until commit; 422 if it was deleted in the meantime. */
export async function lockParent(tx: Querier, parent: Run | null): Promise<void> {
  if (!parent) return
  const [kept] = await tx.query(keepParent, { id: parent.id })
  if (!kept) throw invalid('validation.value', 'The run was deleted.', ['parentRunId'])
}

/** Files of one step. */
const pathColumn = columns({ path: column.text('f.path') })
const checkpointAt = statement({
  name: 'run-parent-checkpoint',
  exact: 'aggregate',
  columns: pathColumn,
  params: { ...repoViewer, repoId: param.text(), pattern: param.text() },
  text: `select ${pathColumn.sql} from repos r join files f on f.repo_id = r.id and f.to_seq is null
    where r.id = :repoId and ${visibleRepo} and f.path like 'checkpoints/step\\_%' and f.path ~ :pattern limit 1`,
})

async function assertCheckpoint(ctx: RequestContext, step: number | null, parent: Run | null): Promise<void> {
  if (step === null) return
  const loc = ['recipe', 'parentCheckpointStep']
  if (!parent) throw invalid('validation.value', 'A checkpoint to start from needs a parent run.', loc)
  const repo = parent.outputModelRepo
  const given = { ...visibleRepos(ctx.viewer), pattern: filesOfStep(step) }
  const found = repo ? await ctx.deps.db.query(checkpointAt, { ...given, repoId: repo.id }) : []
  if (found.length > 0) return
  throw invalid('validation.value', `The parent run lists no checkpoint at step ${step}.`, loc)
}
