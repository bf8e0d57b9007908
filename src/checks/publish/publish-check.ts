/**
 * publishRobotCheck (spec, "POST /v1/robot-checks/{check_id}/publish"): the artifacts of a check become files of a
 * repo, and its card or meta block.
 */

import { newId } from '@hub/formats/ids'
import type { RobotCardDocument } from '@hub/robot-card/card-schema'
import { acceptedCard } from '../../cards/accepted-card.ts'
import { judgeCard } from '../../cards/judge-card.ts'
import { type Copies, type ObjectToLink, withCopies } from '../../files/copy-objects.ts'
import { assertNoClash } from '../../files/path-clashes.ts'
import type { RepoFile } from '../../models/reader/repo-files.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../../operation/context.ts'
import { HubError, notFound } from '../../platform/errors.ts'
import { assertMayShow } from '../../repos/update-repo.ts'
import { uniqueViolation } from '../../store/db.ts'
import { requireObjects } from '../../store/objects/required.ts'
import type { CheckRow, RobotCheck } from '../check-shape.ts'
import { pathFaults } from './known-refusals.ts'
import { mayPublish, type PublishCheckInput, type PublishGrant, type PublishTarget } from './publish-rights.ts'
import { assertPublishable, readPublishable } from './publishable.ts'
import { cardToPublish, filesToPublish } from './published-card.ts'
import { stampedCard } from './stamped-card.ts'
import { type Publication, RepoMoved, writePublication } from './write-publication.ts'

export type { PublishCheckInput } from './publish-rights.ts'

/**
 * How often the card is judged if files of the repo change in the meantime; if they keep changing, the client must
 * retry.
 */
const ATTEMPTS = 5

/**
 * Copies and hashes every artifact, then links all of them, stores the card or meta block and applies `visibility` in
 * one transaction. Errors: 401, 403, 404, 409 for each reason of `publishBlockers`, an artifact whose bytes changed,
 * one next to whose path the repo has a clashing file, and a repo of another kind; 413 `quota.storage`, 422 for a card
 * that the card PUT would refuse, 503. After an error, nothing is linked.
 */
export function publishCheck(ctx: RequestContext, input: PublishCheckInput): Promise<RobotCheck> {
  return guarded(
    ctx,
    () => mayPublish(ctx, input),
    (allowed, grant) => publish(allowed, grant, input),
    async (_published, grant) => assertTargetThere(grant),
  )
}

async function publish(ctx: AllowedContext, grant: PublishGrant, input: PublishCheckInput): Promise<RobotCheck> {
  requireObjects(ctx.deps)
  const { check } = grant
  if (check.kind === 'robot') assertAskedOfRobot(input)
  const row = await readPublishable(ctx.deps.db, check.id)
  assertPublishable(row)
  const place = placeOf(ctx, grant, input)
  assertPaths(row)
  const objects = filesToPublish(check.kind, row.artifacts).map(
    ({ name, ...artifact }): ObjectToLink => ({ path: name, ...artifact }),
  )
  // The transaction that links the copies decides; this keeps bytes from being copied in vain.
  const paths = objects.map(({ path }) => path)
  await assertNoClash(ctx.deps.db, place.repoId, paths, () => null)
  return withCopies(ctx, { sourceId: check.id, ...place, objects }, async (copies) => {
    assertUnchanged(copies)
    return link(ctx, grant, input, { row, copies })
  })
}

type Made = Pick<Publication, 'copies'> & { readonly row: CheckRow }

/**
 * Links the copies into the current repo. Each time the repo has changed in the meantime, rights and blockers are
 * checked once more.
 */
async function link(
  ctx: AllowedContext,
  first: PublishGrant,
  input: PublishCheckInput,
  { row, copies }: Made,
): Promise<RobotCheck> {
  let grant = first
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (attempt > 1) {
      grant = await mayPublish(ctx, input)
      assertPublishable(await readPublishable(ctx.deps.db, row.id))
      placeOf(ctx, grant, input)
    }
    const done = await judgeAndWrite(ctx, grant, input, { row, copies })
    if (done) return done
  }
  throw new HubError(
    'conflict.in_progress',
    'The files of the repo are being changed; publish the check again once they are complete.',
  )
}

/** Null if the repo changed in the meantime: its files changed, it was deleted, or another request created it. */
async function judgeAndWrite(
  ctx: AllowedContext,
  grant: PublishGrant,
  input: PublishCheckInput,
  { row, copies }: Made,
): Promise<RobotCheck | null> {
  try {
    const judged = await judge(ctx, grant, row, copies)
    const publication = { ...grant, input, copies, judged }
    return await commitVerb(ctx, (tx) => writePublication(ctx, tx, publication))
  } catch (error) {
    if (error instanceof RepoMoved || ('missing' in grant.target && uniqueViolation(error))) return null
    throw error
  }
}

/**
 * The card of a robot check, with its validation record, judged against the repo with the copies, and the `seq` of the
 * repo for which the verdict is valid; null for a model check.
 */
async function judge(
  ctx: RequestContext,
  { target }: PublishGrant,
  row: CheckRow,
  { copied }: Copies,
): Promise<{ readonly card: RobotCardDocument; readonly seq: number } | null> {
  const { kind, card, artifacts } = row
  if (kind === 'model' || card === null) return null
  const repo = presentRepo(target)
  if (!repo) throw new Error('A robot repo is never made.')
  const overlay = new Map(
    copied.map(({ upload: { path, size, sha256, storageKey } }): [string, RepoFile] => [
      path,
      { path, sizeBytes: size, sha256, storageKey },
    ]),
  )
  const drafted = stampedCard(cardToPublish(card.value, artifacts), {
    id: row.id,
    report: row.report?.value ?? null,
    engine: row.engine?.value ?? null,
    finishedAt: row.finishedAt,
  })
  const verdict = await judgeCard(ctx, repo, drafted, overlay).catch((error: unknown) => {
    throw error instanceof HubError && error.type === 'not_found' ? new RepoMoved() : error
  })
  return { card: acceptedCard(verdict, () => undefined), seq: verdict.seq }
}

/** On a replay: 404 if the repo that the check was published into is gone. */
function assertTargetThere({ check, target }: PublishGrant): void {
  if ('repo' in target && target.repo !== null) return
  const name = 'missing' in target ? `${target.missing.owner.handle}/${target.missing.input.slug}` : null
  throw notFound(`The repo ${name ?? (check.kind === 'robot' ? check.robotRepoName : check.modelRepoName) ?? ''}`)
}

function assertAskedOfRobot({ repo, smoke }: PublishCheckInput): void {
  const items = [
    ...(repo == null
      ? []
      : [{ type: 'validation.value', detail: 'is for a model check; leave it out', loc: ['repo'] }]),
    ...(smoke ? [{ type: 'validation.value', detail: 'is for a model check; leave it out', loc: ['smoke'] }] : []),
  ]
  if (items.length === 0) return
  const detail = items.map((item) => `${item.loc.join('.')}: ${item.detail}`).join('; ')
  throw new HubError('validation.failed', detail, { items })
}

/**
 * The repo and the owner that the copies count for. Errors: 403 for a visibility that the caller may not give the repo,
 * 409 for a repo of another kind.
 */
function placeOf(
  ctx: RequestContext,
  { check, target }: PublishGrant,
  { visibility }: PublishCheckInput,
): { readonly repoId: string; readonly ownerId: string } {
  if ('missing' in target) return { repoId: newId('repo'), ownerId: target.missing.owner.id }
  const repo = presentRepo(target)
  if (!repo) throw new Error('A repo that was deleted blocks its check.')
  if (repo.kind !== check.kind) {
    const detail = `${repo.fullName} is a ${repo.kind} repo; a ${check.kind} check is published into a ${check.kind} repo.`
    throw new HubError('conflict.wrong_kind', detail)
  }
  if (visibility && visibility !== repo.visibility) assertMayShow(ctx, visibility)
  return { repoId: repo.id, ownerId: repo.ownerId }
}

const presentRepo = (target: PublishTarget) => ('repo' in target ? target.repo : null)

function assertPaths(row: CheckRow): void {
  const faults = pathFaults(row)
  const [first] = faults
  if (!first) return
  const items = faults.map(({ name, detail }) => ({ type: 'validation.path', detail, names: [name] }))
  throw new HubError('validation.path', first.detail, { items })
}

function assertUnchanged({ copied }: Copies): void {
  const changed = copied.filter(({ upload, sha256 }) => sha256 !== upload.sha256)
  if (changed.length === 0) return
  const items = changed.map(({ upload: { path } }) => ({
    type: 'conflict.artifact_changed',
    detail: `The bytes of the artifact ${JSON.stringify(path)} are not those that the check reported.`,
    names: [path],
  }))
  const detail = `${items.map((item) => item.detail).join(' ')} Make a new check.`
  throw new HubError('conflict.artifact_changed', detail, { items })
}
