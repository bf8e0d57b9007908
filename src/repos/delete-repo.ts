/** deleteRepo (spec, "DELETE /v1/repos/{owner}/{repo}"; contract, "References that keep a repo from being deleted"). */
import { audit } from '../accounts/audit.ts'
import { assertNotAgent } from '../auth/policy.ts'
import type { RequestContext } from '../context.ts'
import { HubError, notFound } from '../errors.ts'
import type { Statement, Tx } from '../store/db.ts'
import { commitVerb, guarded } from '../verb.ts'
import { findRepoToWrite, lockRepo, type RepoFacts } from './get-repo.ts'

const releaseStorage: Statement<never> = {
  name: 'repo-delete-storage',
  text: `update accounts a set storage_bytes = a.storage_bytes - r.total_bytes
    from repos r where r.id = $1 and a.id = r.owner_id`,
}

const remove: Statement<never> = { name: 'repo-delete', text: 'delete from repos where id = $1' }

const bury: Statement<never> = { name: 'repo-bury', text: 'insert into deleted_repos (repo_id) values ($1)' }

const referrers: Statement<{ referrer_id: string; reason: string }> = {
  name: 'repo-referrers',
  text: 'select referrer_id, reason from repo_references where repo_id = $1 order by referrer_id limit 20',
}

/**
 * Deletes the repo and unlinks its files; a job closes the file rows and collects the bytes later.
 * Errors: 401, 403 (also every agent key), 404, 409 `conflict.referenced` naming what refers to it.
 */
export function deleteRepo(ctx: RequestContext, input: { owner: string; repo: string }): Promise<{ id: string }> {
  return guarded(
    ctx,
    () => mayDelete(ctx, input),
    (allowed, facts) => commitVerb(allowed, (tx) => applyDelete(allowed, tx, facts)),
  )
}

async function mayDelete(ctx: RequestContext, input: { owner: string; repo: string }): Promise<RepoFacts> {
  const facts = await findRepoToWrite(ctx, input)
  assertNotAgent(ctx.viewer, 'delete a repo')
  return facts
}

async function applyDelete(ctx: RequestContext, tx: Tx, facts: RepoFacts): Promise<{ id: string }> {
  if (!(await lockRepo(tx, facts.id))) throw notFound(`The repo ${facts.fullName}`)
  // A new reference takes a key-share lock on the repo row, which the lock above excludes: what is not here now cannot appear before the delete.
  await assertUnreferenced(tx, facts)
  await tx.query(releaseStorage, [facts.id])
  await tx.query(remove, [facts.id])
  await tx.query(bury, [facts.id])
  await ctx.deps.queue.send(tx, 'repo-purge', { repoId: facts.id })
  const before = { fullName: facts.fullName, kind: facts.kind, visibility: facts.visibility }
  await audit(tx, ctx, { action: 'repo.delete', accountId: facts.ownerId, targetId: facts.id, before })
  tx.afterCommit(() => ctx.deps.events.hint(facts.id))
  return { id: facts.id }
}

async function assertUnreferenced(tx: Tx, facts: RepoFacts): Promise<void> {
  const rows = await tx.query(referrers, [facts.id])
  if (rows.length === 0) return
  throw new HubError('conflict.referenced', `${facts.fullName} is still referred to and cannot be deleted.`, {
    items: rows.map((row) => ({
      type: 'conflict.referenced',
      detail: `${row.referrer_id} refers to it (${row.reason}).`,
      referrer: row.referrer_id,
    })),
  })
}
