/**
 * updateRepo (spec, "PATCH /v1/repos/{owner}/{repo}"): omitted means unchanged, null clears `description` and `tags`.
 */

import { assertNotAgent, assertNotJob } from '../auth/policy.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { RequestContext } from '../operation/context.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { texts } from '../store/read-json.ts'
import { param, statement } from '../store/statement.ts'
import { findRepoToWrite, getReposById, lockRepo, type RepoFacts } from './get-repo.ts'
import type { Repo, Visibility } from './repo-shape.ts'
import { distinctTags } from './tags.ts'

export interface UpdateRepoInput {
  readonly owner: string
  readonly repo: string
  readonly visibility?: Visibility | null
  readonly description?: string | null
  readonly tags?: readonly string[] | null
}

const editable = columns({
  visibility: column.enum('Visibility', 'visibility'),
  description: column.text.orNull('description'),
  tags: column.json('to_json(tags)', texts),
})
type Editable = RowOf<typeof editable>

const readEditable = statement({
  name: 'repo-editable',
  exact: 'in-transaction',
  columns: editable,
  params: { id: param.text() },
  text: `select ${editable.sql} from repos where id = :id`,
})

const writeEditable = statement({
  name: 'repo-update',
  params: {
    repoId: param.text(),
    visibility: param.enum('Visibility'),
    description: param.text.orNull(),
    tags: param.texts(),
  },
  text:
    'update repos set visibility = :visibility, description = :description, tags = :tags, updated_at = now() where ' +
    'id = :repoId',
})

/** Changes description, tags and visibility. Errors: 401, 403, 404, 422 (null visibility, more than 20 tags). */
export function updateRepo(ctx: RequestContext, input: UpdateRepoInput): Promise<Repo> {
  return guarded(
    ctx,
    () => findRepoToWrite(ctx, input),
    async (allowed, facts) => {
      if (input.visibility === null) {
        throw invalid('validation.value', 'visibility is `private` or `public`; leave it out to keep it.', [
          'visibility',
        ])
      }
      return commitVerb(allowed, (tx) => changeRepo(allowed, tx, facts, input))
    },
  )
}

type Changes = Omit<UpdateRepoInput, 'owner' | 'repo'>

/**
 * Changes a repo in the caller's transaction, audited as `repo.update` if anything changed. Errors: 403 if the caller
 * may not set this visibility, 404, 422.
 */
export async function changeRepo(ctx: RequestContext, tx: Tx, facts: RepoFacts, input: Changes): Promise<Repo> {
  const missing = () => notFound(`The repo ${facts.fullName}`)
  const locked = await lockRepo(tx, facts.id)
  if (!locked) throw missing()
  const [before] = await tx.query(readEditable, { id: facts.id })
  if (!before) throw missing()
  const after: Editable = {
    visibility: input.visibility ?? before.visibility,
    description: input.description === undefined ? before.description : input.description,
    tags: input.tags === undefined ? before.tags : distinctTags(input.tags ?? []),
  }
  if (after.visibility !== before.visibility) assertMayShow(ctx, after.visibility)
  if (JSON.stringify(after) !== JSON.stringify({ ...before })) {
    await tx.query(writeEditable, { repoId: facts.id, ...after })
    await audit(tx, ctx, { action: 'repo.update', accountId: locked.ownerId, targetId: facts.id, before, after })
    tx.afterCommit(() => ctx.deps.events.hint(facts.id))
  }
  const [repo] = await getReposById(tx, ctx.viewer, [facts.id], { cards: true })
  if (!repo) throw missing()
  return repo
}

/**
 * 403 for an agent key that would make a repo public, and for every key of a hosted job. Called only if the visibility
 * changes; `changeRepo` calls it under the repo's lock, because the current visibility decides that.
 */
export function assertMayShow({ viewer }: RequestContext, visibility: Visibility): void {
  if (visibility === 'public') assertNotAgent(viewer, 'make a repo public')
  assertNotJob(viewer, 'change the visibility of a repo')
}
