/** deleteRepo (spec, "DELETE /v1/repos/{owner}/{repo}"; contract, "Deleting a repo"). */

import { assertNotAgent, assertNotJob } from '../auth/policy.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { RequestContext } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import type { Tx } from '../store/db.ts'
import { insertInto } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import { findRepoToWrite, lockWholeRepo, type RepoFacts } from './get-repo.ts'
import { assertUnreferenced, dropForeign } from './referrers.ts'

const releaseStorage = statement({
  name: 'repo-delete-storage',
  params: { id: param.text() },
  text: `update accounts a set storage_bytes = a.storage_bytes - r.total_bytes - r.snapshot_bytes - r.film_bytes
    from repos r where r.id = :id and a.id = r.owner_id`,
})

const remove = statement({
  name: 'repo-delete',
  params: { id: param.text() },
  text: 'delete from repos where id = :id',
})

const deletedRepoRow = insertInto('deleted_repos', {
  repoId: param.text(),
})

const bury = statement({
  name: 'repo-bury',
  params: deletedRepoRow.params,
  text: deletedRepoRow.sql,
})

/**
 * Deletes the repo and unlinks its files; a job closes the file rows and reclaims the bytes later. Errors: 401, 403
 * (also every agent key), 404, 409 `conflict.referenced` listing the references.
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
  assertNotJob(ctx.viewer, 'delete a repo')
  return facts
}

async function applyDelete(ctx: RequestContext, tx: Tx, facts: RepoFacts): Promise<{ id: string }> {
  const repo = await lockWholeRepo(tx, facts.id)
  // One that was moved meanwhile has another name, and perhaps an owner who wants to keep it.
  if (!repo || repo.fullName !== facts.fullName) throw notFound(`The repo ${facts.fullName}`)
  const { repoReferrers } = ctx.deps
  await assertUnreferenced(tx, facts, repoReferrers)
  await dropForeign(tx, facts.id, repoReferrers)
  await tx.query(releaseStorage, { id: facts.id })
  await tx.query(remove, { id: facts.id })
  await tx.query(bury, { repoId: facts.id })
  await ctx.deps.queue.send(tx, 'repo-purge', { repoId: facts.id })
  const before = { fullName: facts.fullName, kind: facts.kind, visibility: facts.visibility }
  await audit(tx, ctx, { action: 'repo.delete', accountId: facts.ownerId, targetId: facts.id, before })
  tx.afterCommit(() => ctx.deps.events.hint(facts.id))
  return { id: facts.id }
}
