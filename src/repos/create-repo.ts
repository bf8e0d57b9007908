/** createRepo (spec, "POST /v1/repos"; statuses in the contract, "Writing"). */

import { newId } from '@hub/formats/ids'
import { accountByHandle } from '../auth/handle.ts'
import { assertMayCreateRepo, assertNotAgent, assertNotJob, requireCredential } from '../auth/policy.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AccountRef, AllowedContext, RequestContext } from '../operation/context.ts'
import { HubError, invalid } from '../platform/errors.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { type Tx, uniqueViolation } from '../store/db.ts'
import { insertInto } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import { assertRepoVisible, getRepo } from './get-repo.ts'
import { forgetOldName } from './old-names.ts'
import { namesOf } from './repo-names.ts'
import type { Repo, RepoKind, Visibility } from './repo-shape.ts'
import { distinctTags } from './tags.ts'

export interface CreateRepoInput {
  readonly kind: RepoKind
  readonly slug: string
  /** The name as another client gave it, where the slug says less. */
  readonly hfName?: string | null
  readonly owner?: string | null
  readonly visibility?: Visibility | null
  readonly description?: string | null
  readonly tags?: readonly string[] | null
}

/** Of a request: the slug follows from the name, unless both are given. */
export interface CreateNamedRepoInput extends Omit<CreateRepoInput, 'slug'> {
  readonly slug?: string | null
}

const created = columns({ createdAt: column.timestamptz('created_at'), commitId: column.text('empty_commit_id') })

const repoRow = insertInto('repos', {
  id: param.text(),
  ownerId: param.text(),
  slug: param.text(),
  hfName: param.text.orNull(),
  kind: param.enum('RepoKind'),
  visibility: param.enum('Visibility'),
  description: param.text.orNull(),
  tags: param.texts(),
})

const insertRepo = statement({
  name: 'repo-insert',
  columns: created,
  params: repoRow.params,
  text: `${repoRow.sql} returning ${created.sql}`,
})

/** A hosted job may write only the repos that it created. */
const grantToKey = statement({
  name: 'api-key-grant-repo',
  params: { keyId: param.text(), repoId: param.text() },
  text: 'update api_keys set repo_ids = repo_ids || :repoId::text where id = :keyId',
})

/**
 * Creates an empty repo for the caller, or for an org that the caller belongs to. Errors: 404 an unknown owner, 403 an
 * owner the caller is not a member of, 409 `conflict.taken` (whose entry says with `is_same` whether the repo there has
 * this very name and kind), 422 more than 20 tags, no name, or a slug that is not that of the name.
 */
export function createRepo(ctx: RequestContext, given: CreateNamedRepoInput): Promise<Repo> {
  const names = namesOf(given)
  // The input's rule has said so before.
  if (!names) throw invalid('validation.required', 'A repo has a slug, or a name that it follows from.', ['slug'])
  const input = { ...given, ...names }
  return guarded(
    ctx,
    () => mayCreateRepo(ctx, input),
    (allowed, owner) => make(allowed, owner, input),
    ({ id, fullName }) => assertRepoVisible(ctx, id, fullName),
  )
}

/** The account that would own the repo. Errors: 401, 403, 404 an unknown owner. */
export async function mayCreateRepo(ctx: RequestContext, input: CreateRepoInput): Promise<AccountRef> {
  const owner = await ownerToBe(ctx, input.owner ?? null)
  if (input.visibility === 'public') assertNotAgent(ctx.viewer, 'make a repo public')
  if (input.kind !== 'model' || input.visibility === 'public')
    assertNotJob(ctx.viewer, 'make a repo other than a private model')
  return owner
}

async function make(ctx: AllowedContext, owner: AccountRef, input: CreateRepoInput): Promise<Repo> {
  try {
    return await commitVerb(ctx, (tx) => addRepo({ ctx, tx, owner, id: newId('repo'), input }))
  } catch (error) {
    if (!uniqueViolation(error)) throw error
    throw await taken(ctx, owner, input, error)
  }
}

async function taken(
  ctx: RequestContext,
  owner: AccountRef,
  { slug, hfName, kind }: CreateRepoInput,
  cause: unknown,
): Promise<HubError> {
  const there = await getRepo(ctx, { owner: owner.handle, slug }, { cards: false })
  const isSame = there?.kind === kind && (there.hfName ?? slug) === (hfName ?? slug)
  const other = there?.hfName ? `, as ${there.hfName}` : ''
  const detail = `${owner.handle}/${slug} already exists${other}; slugs are unique for an owner across kinds.`
  return new HubError('conflict.taken', detail, {
    items: [{ type: 'conflict.taken', detail, loc: ['slug'], is_same: isSame }],
    cause,
  })
}

/**
 * Adds an empty repo in the caller's transaction, audited. The caller turns the unique violation of a slug into an
 * error. 422 for more than 20 tags.
 */
export async function addRepo({
  ctx,
  tx,
  owner,
  id,
  input,
}: {
  readonly ctx: RequestContext
  readonly tx: Tx
  readonly owner: AccountRef
  readonly id: string
  readonly input: CreateRepoInput
}): Promise<Repo> {
  const { slug, hfName = null, kind, description = null } = input
  const visibility = input.visibility ?? 'private'
  const tags = distinctTags(input.tags ?? [])
  const [row] = await tx.query(insertRepo, { id, ownerId: owner.id, slug, hfName, kind, visibility, description, tags })
  if (!row) throw new Error('The repo was not inserted.')
  await forgetOldName(tx, { ownerId: owner.id, slug })
  if (ctx.viewer.kind === 'key' && ctx.viewer.job)
    await tx.query(grantToKey, { keyId: ctx.viewer.credentialId, repoId: id })
  const repo = freshRepo(id, owner, { ...input, hfName, visibility, tags, ...row })
  await audit(tx, ctx, {
    action: 'repo.create',
    accountId: owner.id,
    targetId: id,
    after: { fullName: repo.fullName, kind: repo.kind, visibility },
  })
  return repo
}

/** The account that will own a repo: the caller's own unless a handle is given. Errors: 401, 403, 404. */
export async function ownerToBe(ctx: RequestContext, handle: string | null): Promise<AccountRef> {
  const { account } = requireCredential(ctx.viewer)
  const name = handle ?? account.handle
  const [owner] = name === account.handle ? [account] : await ctx.deps.db.query(accountByHandle, { handle: name })
  return assertMayCreateRepo(ctx.viewer, owner, name)
}

type FreshRepo = CreateRepoInput & { hfName: string | null; visibility: Visibility; tags: readonly string[] } & RowOf<
    typeof created
  >

/** A repo right after its insert: it is still empty, so nothing needs to be read back. */
function freshRepo(id: string, owner: AccountRef, fresh: FreshRepo): Repo {
  return {
    id,
    kind: fresh.kind,
    owner,
    slug: fresh.slug,
    hfName: fresh.hfName,
    fullName: `${owner.handle}/${fresh.slug}`,
    visibility: fresh.visibility,
    description: fresh.description ?? null,
    tags: fresh.tags,
    ...{ license: null, libraryName: null, pipelineTag: null, prettyName: null },
    ...{ cardTags: [], cardLabels: [], cardFault: null, cardData: null },
    modelMeta: null,
    datasetMeta: null,
    robotCard: null,
    fileSummary: { count: 0, totalBytes: 0, verifiedCount: 0 },
    policyCount: fresh.kind === 'robot' ? 0 : null,
    commitId: fresh.commitId,
    createdAt: fresh.createdAt,
    updatedAt: fresh.createdAt,
  }
}
