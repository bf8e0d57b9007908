/** The repo that a verb fills: one that is there, or one that it makes in the transaction that fills it. */

import { newId } from '@hub/formats/ids'
import { slugText } from '@hub/formats/text-rules'
import type { AccountRef, RequestContext } from '../operation/context.ts'
import { HubError, invalid } from '../platform/errors.ts'
import type { Tx } from '../store/db.ts'
import { addRepo, type CreateRepoInput, mayCreateRepo } from './create-repo.ts'
import { findRepoToWrite, lockRepo, type RepoFacts } from './get-repo.ts'
import type { RepoKind, Visibility } from './repo-shape.ts'

/** A repo that is not there yet, which the caller may make. */
export interface MissingRepo {
  readonly owner: AccountRef
  readonly input: CreateRepoInput
}

/** A repo that the caller may write, or make. */
export type FoundOrMissing = { readonly repo: RepoFacts } | { readonly missing: MissingRepo }

/**
 * The repo `name` (`owner/slug`), if the caller may write it; else what it takes to make it with this kind. Errors: 401,
 * 403, 404 an unknown owner, 422 at `repo` for a slug that no repo can have.
 */
export async function findOrPlanRepo(
  ctx: RequestContext,
  name: string,
  wanted: { readonly kind: RepoKind; readonly visibility: Visibility | null },
): Promise<FoundOrMissing> {
  const [owner = '', slug = ''] = name.split('/')
  const found = await findRepoToWrite(ctx, { owner, repo: slug }).catch((error: unknown) => {
    if (error instanceof HubError && error.type === 'not_found') return null
    throw error
  })
  if (found) return { repo: found }
  const rule = slugText.safeParse(slug)
  if (!rule.success) throw invalid('validation.value', `The slug ${rule.error.issues[0]?.message}.`, ['repo'])
  const input = { kind: wanted.kind, slug, owner } as const
  return { missing: { owner: await mayCreateRepo(ctx, { ...input, visibility: wanted.visibility }), input } }
}

/**
 * Makes the repo and locks it, in the caller's transaction. The unique violation of a name that was taken meanwhile is
 * the caller's.
 */
export async function makeMissing(
  ctx: RequestContext,
  tx: Tx,
  { owner, input }: MissingRepo,
  visibility: Visibility = 'private',
): Promise<RepoFacts | null> {
  const { id } = await addRepo({ ctx, tx, owner, id: newId('repo'), input: { ...input, visibility } })
  return lockRepo(tx, id)
}
