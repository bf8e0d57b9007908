/** updateRepo (spec, "PATCH /v1/repos/{owner}/{repo}"): omitted means unchanged, null clears `description` and `tags`. */
import { audit } from '../accounts/audit.ts'
import { assertMayWriteRepo, assertNotAgent } from '../auth/policy.ts'
import type { RequestContext } from '../context.ts'
import { invalid, notFound } from '../errors.ts'
import type { Statement, Tx } from '../store/db.ts'
import { commitVerb } from '../verb.ts'
import { findRepo, getReposById, lockRepo, type RepoFacts } from './get-repo.ts'
import type { Repo, Visibility } from './repo-shape.ts'
import { distinctTags } from './tags.ts'

export interface UpdateRepoInput {
  readonly owner: string
  readonly repo: string
  readonly visibility?: Visibility | null
  readonly description?: string | null
  readonly tags?: readonly string[] | null
}

type Editable = {
  readonly visibility: Visibility
  readonly description: string | null
  readonly tags: string[]
}

const readEditable: Statement<Editable> = {
  name: 'repo-editable',
  text: 'select visibility, description, to_json(tags) as tags from repos where id = $1',
}

const writeEditable: Statement<never> = {
  name: 'repo-update',
  text: 'update repos set visibility = $2, description = $3, tags = $4, updated_at = now() where id = $1',
}

/** Changes description, tags and visibility. Errors: 401, 403, 404, 422 (null visibility, more than 20 tags). */
export async function updateRepo(ctx: RequestContext, input: UpdateRepoInput): Promise<Repo> {
  const facts = await findRepo(ctx, { owner: input.owner, slug: input.repo })
  assertMayWriteRepo(ctx.viewer, facts, facts.fullName)
  if (input.visibility === null) {
    throw invalid('validation.value', 'visibility is `private` or `public`; leave it out to keep it.', [
      'input',
      'visibility',
    ])
  }
  if (input.visibility === 'public' && facts.visibility !== 'public') assertNotAgent(ctx.viewer, 'make a repo public')
  return commitVerb(ctx, (tx) => applyUpdate(ctx, tx, facts, input))
}

async function applyUpdate(ctx: RequestContext, tx: Tx, facts: RepoFacts, input: UpdateRepoInput): Promise<Repo> {
  const missing = () => notFound(`The repo ${facts.fullName}`)
  if (!(await lockRepo(tx, facts.id))) throw missing()
  const [before] = await tx.query(readEditable, [facts.id])
  if (!before) throw missing()
  const after: Editable = {
    visibility: input.visibility ?? before.visibility,
    description: input.description === undefined ? before.description : input.description,
    tags: input.tags === undefined ? before.tags : distinctTags(input.tags ?? []),
  }
  if (JSON.stringify(after) !== JSON.stringify({ ...before })) {
    await tx.query(writeEditable, [facts.id, after.visibility, after.description, after.tags])
    await audit(tx, ctx, { action: 'repo.update', accountId: facts.ownerId, targetId: facts.id, before, after })
    tx.afterCommit(() => ctx.deps.events.hint(facts.id))
  }
  const [repo] = await getReposById(tx, ctx.viewer, [facts.id])
  if (!repo) throw missing()
  return repo
}
