/** The one transaction that publishes a check. Locks in order: repos, check, accounts, uploads, blobs. */

import type { RobotCardDocument } from '@hub/robot-card/card-schema'
import { storeCard } from '../../cards/put-robot-card.ts'
import type { Copies } from '../../files/copy-objects.ts'
import { linkFiles } from '../../files/link-files.ts'
import type { ChangeMessage } from '../../files/versions/record-change.ts'
import { audit } from '../../operation/audit.ts'
import type { RequestContext } from '../../operation/context.ts'
import { makeMissing } from '../../repos/found-or-made.ts'
import { getReposById, lockRepo, type RepoFacts } from '../../repos/get-repo.ts'
import { setModelMeta } from '../../repos/put-meta.ts'
import { changeRepo } from '../../repos/update-repo.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { type HeldCheck, lockCheck } from '../check-row.ts'
import type { CheckPublished, CheckRow, RobotCheck } from '../check-shape.ts'
import { letGo } from '../end/settle-check.ts'
import { readCheck } from '../read/get-check.ts'
import type { PublishCheckInput, PublishTarget } from './publish-rights.ts'
import { assertPublishable, readPublishable } from './publishable.ts'
import { metaToPublish } from './published-meta.ts'
import { publisherOf } from './publisher.ts'

export interface Publication {
  readonly check: HeldCheck
  readonly input: PublishCheckInput
  readonly target: PublishTarget
  readonly copies: Copies
  /** The card of a robot check, accepted over the repo at `seq`. */
  readonly judged: { readonly card: RobotCardDocument; readonly seq: number } | null
}

/**
 * Rolls the transaction back: the repo has changed since the card was judged, so the card has to be judged once more.
 */
export class RepoMoved extends Error {}

/** No rollout service belongs to this deployment. */
const NO_ROLLOUTS = 'This deployment has no rollout service, so the smoke gate was not queued.'

const markPublished = statement({
  name: 'robot-check-publish',
  params: { checkId: param.text(), published: param.json() },
  text: `update robot_checks set published = :published::json, published_at = now(), updated_at = now()
    where id = :checkId and status = 'succeeded' and published_at is null`,
})

/**
 * Links the files, stores the card or meta block, and marks the check as published. The blockers are checked once more
 * under the locks. Errors: 409, 404, 403.
 */
export async function writePublication(ctx: RequestContext, tx: Tx, publication: Publication): Promise<RobotCheck> {
  const { input, target, judged } = publication
  const locked = await lockReposOf(tx, publication.check, target)
  const check = await lockCheck(tx, input.checkId)
  const row = await readPublishable(tx, check.id)
  assertPublishable(row)
  // Private; `visibility` is applied last.
  const repo = 'missing' in target ? await makeMissing(ctx, tx, target.missing) : locked.get(target.repo?.id ?? '')
  if (!repo || (judged && judged.seq !== repo.seq)) throw new RepoMoved()
  const files = await linkCopies(ctx, tx, repo, { ...publication.copies, message: input.message })
  const card = judged && (await storeCard(ctx, tx, repo, () => judged.card))
  if (row.kind === 'model') await storeMeta(ctx, tx, repo, row)
  const { visibility } = input.visibility ? await changeRepo(ctx, tx, repo, { visibility: input.visibility }) : repo
  const published: CheckPublished = {
    at: check.now,
    by: await publisherOf(tx, ctx.viewer),
    interfaceFingerprint: card?.interfaceFingerprint ?? null,
    visibility,
    files,
    smokeRolloutId: null,
    smokeError: input.smoke ? NO_ROLLOUTS : null,
  }
  await mark(ctx, tx, check, { repo, published })
  return readCheck(tx, ctx.viewer, check.id)
}

/**
 * Locks the target and the repos that the check is about, in the order of ids. Until the check is published, these
 * repos are not deleted and their files not changed.
 */
async function lockReposOf(tx: Tx, check: HeldCheck, target: PublishTarget): Promise<Map<string, RepoFacts>> {
  const targetId = 'repo' in target ? target.repo?.id : null
  const ids = [check.robotRepoId, check.modelRepoId, targetId].filter((id) => id != null)
  const locked = new Map<string, RepoFacts>()
  for (const id of [...new Set(ids)].toSorted()) {
    const repo = await lockRepo(tx, id)
    if (repo) locked.set(id, repo)
  }
  return locked
}

async function linkCopies(
  ctx: RequestContext,
  tx: Tx,
  repo: RepoFacts,
  { attempt, copied, readme, body, message }: Copies & ChangeMessage,
): Promise<CheckPublished['files']> {
  if (copied.length === 0) return []
  const brought = { datasetInfo: null, readme, body: body ?? null }
  const request = { repo, attempt, named: [], assembled: copied, ...brought, locOf: () => null, message }
  await linkFiles(ctx, tx, request)
  return copied.map(({ upload: { path, size, sha256 } }) => ({ path, sha256, size }))
}

async function storeMeta(ctx: RequestContext, tx: Tx, repo: RepoFacts, row: CheckRow): Promise<void> {
  const [current] = await getReposById(tx, ctx.viewer, [repo.id])
  const { robotRepoId: id, robotRepoName: fullName } = row
  const [intake, model] = [row.intake?.value ?? null, row.model?.value ?? null]
  const robot = id === null || fullName === null ? null : { id, fullName }
  await setModelMeta(ctx, tx, repo, metaToPublish({ intake, model, robot, current: current?.modelMeta ?? null }))
}

async function mark(
  ctx: RequestContext,
  tx: Tx,
  check: HeldCheck,
  { repo, published }: { readonly repo: RepoFacts; readonly published: CheckPublished },
): Promise<void> {
  await tx.query(markPublished, { checkId: check.id, published: JSON.stringify(published) })
  await letGo(ctx.deps, tx, check)
  const { files, visibility, interfaceFingerprint } = published
  await audit(tx, ctx, {
    action: 'robot_check.publish',
    accountId: check.ownerId,
    targetId: check.id,
    after: { repo: repo.fullName, files, visibility, interfaceFingerprint },
  })
  tx.afterCommit(() => ctx.deps.events.hint(check.id))
}
