/** moveRepo (contract, "Moving a repo"): another name, another owner, or both; what is stored goes with it. */
import { lockAccounts } from '../accounts/lock-accounts.ts'
import { assertNotAgent, assertNotJob } from '../auth/policy.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AccountRef, RequestContext } from '../operation/context.ts'
import { HubError, notFound } from '../platform/errors.ts'
import { ownerToBe } from '../repos/create-repo.ts'
import { findRepoToWrite, getReposById, lockWholeRepo, type RepoFacts } from '../repos/get-repo.ts'
import { forgetOldName, keepOldName, repoMovedFrom } from '../repos/old-names.ts'
import { namesOf, type RepoNames } from '../repos/repo-names.ts'
import type { Repo } from '../repos/repo-shape.ts'
import { column, columns } from '../store/columns.ts'
import { type Tx, uniqueViolation } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { unstore } from './delete-files.ts'
import { assertOpenFilms } from './open-films.ts'
import { CONTENT_UPLOAD, countBytes, reserveStorage } from './reservation.ts'
import { openStates, sqlStates } from './upload-state.ts'

export interface MoveRepoInput {
  /** The current name. */
  readonly fromOwner: string
  readonly fromRepo: string
  /** Handle of the new owner; the current one if absent. */
  readonly owner?: string | null
  readonly slug?: string | null
  /** The new name as another client gives it; the slug follows from it. */
  readonly hfName?: string | null
}

const movedColumns = columns({
  slug: column.text('o.slug'),
  storedBytes: column.int8('o.total_bytes + o.snapshot_bytes + o.film_bytes'),
})

/** Returns what the repo had before. */
const rename = statement({
  name: 'repo-move',
  columns: movedColumns,
  params: {
    repoId: param.text(),
    ownerId: param.text(),
    slug: param.text(),
    hfName: param.text.orNull(),
    isNew: param.bool(),
  },
  text: `update repos r set owner_id = :ownerId, slug = :slug, updated_at = now(),
      hf_name = case when :isNew::bool then :hfName else o.hf_name end
    from repos o where r.id = :repoId and o.id = r.id returning ${movedColumns.sql}`,
})

const movedUploads = columns({
  bytes: column.int8('s.bytes'),
  uploads: column.int4('s.uploads'),
  /** Those that the hub itself stores: they take no place of an upload. */
  contentBytes: column.int8('s.content_bytes'),
  contents: column.int4('s.contents'),
})

/** The open uploads, whose reservations the owner of before has no more. */
const moveUploads = statement({
  name: 'repo-move-uploads',
  columns: movedUploads,
  params: { repoId: param.text(), from: param.text(), to: param.text() },
  text: `with moved as (update uploads set owner_id = :to where repo_id = :repoId and state in (${sqlStates(openStates)})
        returning size, store_upload_id = '${CONTENT_UPLOAD}' as is_content),
      s as (select coalesce(sum(size) filter (where not is_content), 0)::int8 as bytes,
          (count(*) filter (where not is_content))::int as uploads,
          coalesce(sum(size) filter (where is_content), 0)::int8 as content_bytes,
          (count(*) filter (where is_content))::int as contents from moved),
      freed as (update accounts a set reserved_bytes = a.reserved_bytes - s.bytes - s.content_bytes,
          pending_uploads = a.pending_uploads - s.uploads - s.contents from s where a.id = :from)
    select ${movedUploads.sql} from s`,
})

const movedEpisodes = columns({ bytes: column.int8('coalesce(sum(b.size), 0)::int8') })

/** The episodes that results of a model keep go to the new owner; returns their bytes. */
const moveEpisodes = statement({
  name: 'repo-move-episodes',
  columns: movedEpisodes,
  params: { repoId: param.text(), from: param.text(), to: param.text() },
  text: `with moved as (update rollout_episodes e set owner_id = :to from rollouts r
        where r.model_repo_id = :repoId and e.rollout_id = r.id and e.owner_id = :from returning e.blob_id)
    select ${movedEpisodes.sql} from moved m join blobs b on b.id = m.blob_id`,
})

interface Moving {
  readonly id: string
  readonly repo: RepoFacts
  readonly to: AccountRef
}

/**
 * Moves a repo. References hold its id and stay; its old name leads to it until another repo takes that. Errors: 401,
 * 403 (also every agent key and job key, and an owner whom the caller is not a member of), 404, 409 `conflict.taken`,
 * 413 `quota.storage` of the new owner, 422, 429 `quota.uploads` and `quota.films` of the new owner.
 */
export function moveRepo(ctx: RequestContext, input: MoveRepoInput): Promise<Repo> {
  return guarded(
    ctx,
    () => mayMove(ctx, input),
    async (allowed, moving) => {
      const name = newNames(input, moving.repo)
      try {
        return await commitVerb(allowed, (tx) => move(allowed, tx, moving, name))
      } catch (error) {
        if (!uniqueViolation(error)) throw error
        const detail = `${moving.to.handle}/${name.slug} already exists; slugs are unique for an owner across kinds.`
        const items = [{ type: 'conflict.taken', detail, loc: ['slug'] }]
        throw new HubError('conflict.taken', detail, { items, cause: error })
      }
    },
  )
}

/** The name of the repo that the input means: when a request is repeated, the repo has its new name already. */
export async function nameToMove(
  ctx: RequestContext,
  { fromOwner, fromRepo }: Pick<MoveRepoInput, 'fromOwner' | 'fromRepo'>,
): Promise<{ readonly owner: string; readonly repo: string }> {
  const moved = ctx.replay ? await repoMovedFrom(ctx, { owner: fromOwner, slug: fromRepo }) : null
  return moved ? { owner: moved.owner.handle, repo: moved.slug } : { owner: fromOwner, repo: fromRepo }
}

async function mayMove(ctx: RequestContext, input: MoveRepoInput): Promise<Moving> {
  const repo = await findRepoToWrite(ctx, await nameToMove(ctx, input))
  assertNotAgent(ctx.viewer, 'move a repo')
  assertNotJob(ctx.viewer, 'move a repo')
  const to = await ownerToBe(ctx, input.owner ?? input.fromOwner)
  return { id: repo.id, repo, to }
}

interface NewNames extends RepoNames {
  /** False if the repo keeps its name. */
  readonly isNew: boolean
}

function newNames(input: MoveRepoInput, { fullName }: RepoFacts): NewNames {
  const names = namesOf(input)
  return names
    ? { ...names, isNew: true }
    : { slug: fullName.slice(fullName.indexOf('/') + 1), hfName: null, isNew: false }
}

async function move(
  ctx: RequestContext,
  tx: Tx,
  { repo: { id, fullName }, to }: Moving,
  name: NewNames,
): Promise<Repo> {
  const repo = await lockWholeRepo(tx, id)
  if (!repo || repo.fullName !== fullName) throw notFound(`The repo ${fullName}`)
  await lockAccounts(tx, [...new Set([repo.ownerId, to.id])])
  const [before] = await tx.query(rename, { repoId: id, ownerId: to.id, ...name })
  if (!before) throw notFound(`The repo ${fullName}`)
  if (to.id !== repo.ownerId || name.slug !== before.slug) {
    await keepOldName(tx, { ownerId: repo.ownerId, slug: before.slug, repoId: id })
    await forgetOldName(tx, { ownerId: to.id, slug: name.slug })
  }
  if (to.id !== repo.ownerId) await bringAll(ctx, tx, { repoId: id, from: repo.ownerId, to: to.id }, before.storedBytes)
  const change = {
    action: 'repo.move',
    targetId: id,
    before: { fullName },
    after: { fullName: `${to.handle}/${name.slug}` },
  }
  for (const accountId of new Set([repo.ownerId, to.id])) await audit(tx, ctx, { ...change, accountId })
  tx.afterCommit(() => ctx.deps.events.hint(id))
  const [moved] = await getReposById(tx, ctx.viewer, [id], { cards: true })
  if (!moved) throw notFound(`The repo ${fullName}`)
  return moved
}

interface Bringing {
  readonly repoId: string
  readonly from: string
  readonly to: string
}

/** All that counts at an account goes from one to the other, within each limit of the other; both rows are locked. */
async function bringAll({ deps }: RequestContext, tx: Tx, { repoId, from, to }: Bringing, stored: number) {
  await assertOpenFilms(tx, { ownerId: to, repoId })
  const [open] = await tx.query(moveUploads, { repoId, from, to })
  // Contents first: the places of uploads are counted without them.
  if (open && open.contents > 0)
    await reserveStorage(tx, deps.config, to, { bytes: open.contentBytes, uploads: open.contents, areContents: true })
  if (open && open.uploads > 0) await reserveStorage(tx, deps.config, to, open)
  const [episodes] = await tx.query(moveEpisodes, { repoId, from, to })
  const bytes = stored + (episodes?.bytes ?? 0)
  await tx.query(unstore, { id: from, bytes })
  await countBytes(tx, deps.config, to, bytes)
}
