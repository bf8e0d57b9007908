/** putModelMeta and putDatasetMeta (contract, "Writing"): full replace, 409 on another kind, both return the repo. */
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { RequestContext } from '../operation/context.ts'
import { HubError, notFound } from '../platform/errors.ts'
import type { Tx } from '../store/db.ts'
import { assign, excluded, insertInto, sql } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import { DATASET_INFO_PATH } from './dataset-info.ts'
import { findRepoToWrite, getReposById, getRobots, lockRepo, type RepoFacts } from './get-repo.ts'
import type { ControlClass, Repo, RepoKind } from './repo-shape.ts'

interface Target {
  readonly owner: string
  readonly repo: string
}

/** A meta block of a model; absent members become null. */
export interface ModelMetaBlock {
  readonly policyType: string
  readonly baseModel?: string | null
  readonly sourceRunId?: string | null
  readonly controlClass?: ControlClass | null
  readonly robot?: string | null
  /** The repo that `robot` means; absent: the robot that has the name and that the caller sees, if there is one. */
  readonly robotRepoId?: string | null
  readonly embodimentFingerprint?: string | null
}

export interface ModelMetaInput extends Target, ModelMetaBlock {}

export interface DatasetMetaInput extends Target {
  readonly episodeCount: number
  readonly totalFrames: number
  readonly fps?: number | null
  readonly robotType?: string | null
}

const modelMetaChanges = assign('model_meta', {
  policyType: excluded,
  baseModel: excluded,
  sourceRunId: excluded,
  controlClass: excluded,
  robot: excluded,
  robotRepoId: excluded,
  embodimentFingerprint: excluded,
  updatedAt: sql('now()'),
})

const modelMetaRow = insertInto('model_meta', {
  repoId: param.text(),
  policyType: param.text(),
  baseModel: param.text.orNull(),
  sourceRunId: param.text.orNull(),
  controlClass: param.enum.orNull('ControlClass'),
  robot: param.text.orNull(),
  robotRepoId: param.text.orNull(),
  embodimentFingerprint: param.text.orNull(),
})

const upsertModelMeta = statement({
  name: 'model-meta-put',
  params: modelMetaRow.params,
  text: `${modelMetaRow.sql}
    on conflict (repo_id) do update set ${modelMetaChanges.sql}`,
})

const datasetMetaChanges = assign('dataset_meta', {
  episodeCount: excluded,
  totalFrames: excluded,
  fps: excluded,
  robotType: excluded,
  infoSeq: excluded,
  updatedAt: sql('now()'),
})

const datasetMetaRow = insertInto('dataset_meta', {
  repoId: param.text(),
  episodeCount: param.int4(),
  totalFrames: param.int8(),
  fps: param.float8.orNull(),
  robotType: param.text.orNull(),
  infoSeq: sql(
    `case when :isFromFile::bool then (select f.from_seq from files f
      where f.repo_id = :repoId and f.path = '${DATASET_INFO_PATH}' and f.to_seq is null) end`,
    { isFromFile: param.bool() },
  ),
})

/** Shared with the reader of `meta/info.json`, which sets the same block when the file is uploaded. */
export const upsertDatasetMeta = statement({
  name: 'dataset-meta-put',
  params: datasetMetaRow.params,
  text: `${datasetMetaRow.sql}
    on conflict (repo_id) do update set ${datasetMetaChanges.sql}`,
})

/** Shared with robot cards, which are also meta blocks. */
export const touchRepo = statement({
  name: 'repo-touch',
  params: { id: param.text() },
  text: 'update repos set updated_at = greatest(now(), updated_at) where id = :id',
})

/** Replaces the model meta block. Errors: 401, 403, 404, 409 `conflict.wrong_kind`. */
export function putModelMeta(ctx: RequestContext, input: ModelMetaInput): Promise<Repo> {
  return putMeta(ctx, input, 'model', (tx, repoId) => writeModelMeta(ctx, tx, repoId, input))
}

async function writeModelMeta(ctx: RequestContext, tx: Tx, repoId: string, block: ModelMetaBlock): Promise<void> {
  const { policyType, baseModel = null, sourceRunId = null, controlClass = null, robot = null } = block
  const { embodimentFingerprint = null } = block
  const name = robot?.includes('/') ? robot : null
  const [found] = block.robotRepoId === undefined ? await getRobots(tx, ctx.viewer, [name]) : []
  const robotRepoId = block.robotRepoId ?? found?.id ?? null
  const values = { policyType, baseModel, sourceRunId, controlClass, robot, robotRepoId, embodimentFingerprint }
  await tx.query(upsertModelMeta, { repoId, ...values })
}

/** Replaces the meta block of a model repo that the caller has locked, audited. Returns the repo. */
export function setModelMeta(
  ctx: RequestContext,
  tx: Tx,
  repo: Pick<RepoFacts, 'id' | 'ownerId' | 'fullName'>,
  block: ModelMetaBlock,
): Promise<Repo> {
  return applyMeta(ctx, tx, repo, (inside, repoId) => writeModelMeta(ctx, inside, repoId, block))
}

/** Replaces the dataset meta block. Errors: 401, 403, 404, 409 `conflict.wrong_kind`. */
export function putDatasetMeta(ctx: RequestContext, input: DatasetMetaInput): Promise<Repo> {
  const { episodeCount, totalFrames, fps = null, robotType = null } = input
  const block = { episodeCount, totalFrames, fps, robotType, isFromFile: false }
  return putMeta(ctx, input, 'dataset', (tx, repoId) => tx.query(upsertDatasetMeta, { repoId, ...block }))
}

type WriteBlock = (tx: Tx, repoId: string) => Promise<unknown>

function putMeta(ctx: RequestContext, target: Target, kind: RepoKind, write: WriteBlock): Promise<Repo> {
  return guarded(
    ctx,
    () => findRepoToWrite(ctx, target),
    async (allowed, facts) => {
      if (facts.kind !== kind) {
        throw new HubError(
          'conflict.wrong_kind',
          `${facts.fullName} is a ${facts.kind} repo; this operation needs a ${kind} repo.`,
        )
      }
      return commitVerb(allowed, (tx) => applyMeta(allowed, tx, facts, write))
    },
  )
}

async function applyMeta(
  ctx: RequestContext,
  tx: Tx,
  facts: Pick<RepoFacts, 'id' | 'ownerId' | 'fullName'>,
  write: WriteBlock,
): Promise<Repo> {
  const missing = () => notFound(`The repo ${facts.fullName}`)
  const locked = await lockRepo(tx, facts.id)
  if (!locked) throw missing()
  await write(tx, facts.id)
  await tx.query(touchRepo, { id: facts.id })
  const [repo] = await getReposById(tx, ctx.viewer, [facts.id])
  if (!repo) throw missing()
  const after = { ...(repo.modelMeta ?? repo.datasetMeta) }
  await audit(tx, ctx, { action: 'repo.meta', accountId: locked.ownerId, targetId: facts.id, after })
  tx.afterCommit(() => ctx.deps.events.hint(facts.id))
  return repo
}
