/**
 * promoteCheckpoint (contract, "Promoting a checkpoint"): the files of one checkpoint become a model repo of their own,
 * with the facts of the run, in one transaction. No bytes are sent.
 */
import { currentViewer } from '../../auth/current-viewer.ts'
import { assertLevel } from '../../auth/policy.ts'
import type { Added, Committed } from '../../files/commit/commit-input.ts'
import { copyFromRepo } from '../../files/commit/copy-from-repo.ts'
import type { ChangeMessage } from '../../files/versions/record-change.ts'
import { guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../../operation/context.ts'
import { findTemplate } from '../../planner/templates.ts'
import { HubError, notFound } from '../../platform/errors.ts'
import { type FoundOrMissing, findOrPlanRepo, type MissingRepo, makeMissing } from '../../repos/found-or-made.ts'
import { assertRepoVisible, getReposById, getRobots } from '../../repos/get-repo.ts'
import { type ModelMetaBlock, setModelMeta } from '../../repos/put-meta.ts'
import type { Repo, Visibility } from '../../repos/repo-shape.ts'
import { type Tx, uniqueViolation } from '../../store/db.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { findRun } from '../run-row.ts'
import { type ListedCheckpoint, listCheckpoints } from './list-checkpoints.ts'

export interface PromoteInput extends ChangeMessage {
  readonly runId: string
  readonly step: number
  /** `owner/slug`. */
  readonly repo: string
  /** Of a repo that is made; one that is there keeps its own. */
  readonly visibility?: Visibility | null
}

/** The model repo after the change, and what the change was. */
export interface Promoted {
  readonly repo: Repo
  readonly commit: Committed
}

interface Grant {
  readonly target: FoundOrMissing
}

/** How often a repo that another request makes or deletes meanwhile is looked for again. */
const ATTEMPTS = 3

/**
 * Adds the files to the model repo, which is made if it is missing, and sets its meta block: all of it, or nothing. A
 * file of the same name gets the new bytes, others stay; a repeat changes nothing. Errors: 401, 403, 404 the run, the
 * checkpoint or an unknown owner, 409 `conflict.wrong_kind`, `conflict.taken`, `conflict.path` and
 * `conflict.in_progress` while files are not verified, 413, 422 for a slug that no repo can have, 503.
 */
export function promoteCheckpoint(ctx: RequestContext, input: PromoteInput): Promise<Promoted> {
  return guarded(
    ctx,
    () => mayPromote(ctx, input),
    (allowed, grant) => promote(allowed, input, grant),
    ({ repo: { id, fullName } }) => assertRepoVisible(ctx, id, fullName),
  )
}

async function mayPromote(ctx: RequestContext, { runId, repo, visibility }: PromoteInput): Promise<Grant> {
  await findRun(ctx, runId)
  assertLevel(ctx.viewer, 'write')
  return { target: await findOrPlanRepo(ctx, repo, { kind: 'model', visibility: visibility ?? null }) }
}

/** Rights are decided again once another request has taken the name. */
async function promote(ctx: AllowedContext, input: PromoteInput, first: Grant): Promise<Promoted> {
  let { target } = first
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await promoteInto(ctx, input, target)
    } catch (error) {
      if (!('missing' in target && uniqueViolation(error))) throw error
      if (attempt === ATTEMPTS) throw takenUnseen(input.repo, error)
    }
    target = (await mayPromote(ctx, input)).target
  }
}

/** The key of a hosted job may make a repo of its owner, and sees none that it did not make. */
function takenUnseen(fullName: string, cause: unknown): HubError {
  const detail = `${fullName} already exists, and this credential does not see it. Choose another name.`
  return new HubError('conflict.taken', detail, { items: [{ type: 'conflict.taken', detail, loc: ['repo'] }], cause })
}

async function promoteInto(ctx: AllowedContext, input: PromoteInput, target: FoundOrMissing): Promise<Promoted> {
  if ('repo' in target) assertModel(target.repo)
  const run = await readRun(ctx.deps.db, ctx.viewer, input.runId)
  const checkpoint = await checkpointAt(ctx, run, input.step)
  const wanted = {
    sourceId: checkpoint.repoId,
    files: filesOf(checkpoint),
    message: input.message ?? `Step ${checkpoint.step} of ${run.displayName}`,
    runId: run.id,
    loc: ['repo'],
  }
  return copyFromRepo(ctx, wanted, async (tx, commit) => {
    const made = async (missing: MissingRepo) => makeMissing(ctx, tx, missing, input.visibility ?? 'private')
    const repo = 'repo' in target ? target.repo : await made(target.missing)
    if (!repo) throw notFound(`The repo ${input.repo}`)
    const done = await commit(repo)
    const now = await asNow(ctx, tx)
    const block = await blockOf(now, tx, run, { sourceId: checkpoint.repoId, targetId: repo.id })
    return { repo: await setModelMeta(now, tx, repo, block), commit: done }
  })
}

/** The key of a hosted job sees the repo that the transaction has made once its rights are read again. */
async function asNow(ctx: RequestContext, tx: Tx): Promise<RequestContext> {
  const { requestId, signal, deps } = ctx
  const isOfJob = ctx.viewer.kind === 'key' && ctx.viewer.job
  const viewer = isOfJob ? await currentViewer(tx, ctx.viewer) : null
  return viewer ? { requestId, signal, deps, viewer } : ctx
}

function assertModel({ kind, fullName }: { readonly kind: string; readonly fullName: string }): void {
  if (kind === 'model') return
  const detail = `${fullName} is a ${kind} repo; a checkpoint is promoted to a model repo. Choose another name.`
  throw new HubError('conflict.wrong_kind', detail, {
    items: [{ type: 'conflict.wrong_kind', detail, loc: ['repo'] }],
  })
}

async function checkpointAt(ctx: RequestContext, run: Run, step: number): Promise<ListedCheckpoint> {
  const [list] = await listCheckpoints(ctx, [run.outputModelRepo?.id ?? null])
  if (list === undefined || list instanceof HubError) throw list ?? new Error('One list was asked for.')
  const found = list.items.find((one) => one.step === step)
  if (found) return found
  const steps = list.items.slice(-5).map((one) => one.step)
  const there = steps.length > 0 ? `Its last ones are ${steps.join(', ')}.` : list.notFineTunable
  throw new HubError('not_found', `The run ${run.id} has no checkpoint at step ${step}. ${there ?? ''}`.trim())
}

/** The files without the folder of the step. */
function filesOf({ path, files }: ListedCheckpoint): Added[] {
  return files.map((file) => {
    if (file.sha256 === null) {
      const detail = `The hub still verifies ${JSON.stringify(file.path)} of this checkpoint; try again in a moment.`
      throw new HubError('conflict.in_progress', detail)
    }
    return { path: file.path.slice(path.length + 1), size: file.size, sha256: file.sha256 }
  })
}

/** What the run's own output says of the policy, else its recipe. */
async function blockOf(
  { deps, viewer }: RequestContext,
  tx: Tx,
  run: Run,
  { sourceId, targetId }: { readonly sourceId: string; readonly targetId: string },
): Promise<ModelMetaBlock> {
  const [source, target] = await getReposById(tx, viewer, [sourceId, targetId])
  const said = source?.modelMeta ?? null
  const template = String(run.recipe.template)
  const [robot] = await getRobots(tx, viewer, [said ? said.robotRepoId : run.robotRepoId])
  const robotText = said ? said.robot : run.recipe.robot
  return {
    policyType: said?.policyType ?? template,
    baseModel: said?.baseModel ?? target?.modelMeta?.baseModel ?? null,
    sourceRunId: run.id,
    controlClass: said?.controlClass ?? findTemplate(template, deps.config.runs.extraTemplates)?.controlClass ?? null,
    robot: robot?.fullName ?? (typeof robotText === 'string' ? robotText : null),
    robotRepoId: robot?.id ?? null,
    embodimentFingerprint: said?.embodimentFingerprint ?? null,
  }
}
