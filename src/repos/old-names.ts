/** Names that repos had before they were moved. A name leads to its repo until another one takes it. */
import { repoViewer, visibleRepos } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { insertInto, sql } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import { getReposById } from './get-repo.ts'
import { type Repo, visibleRepo } from './repo-shape.ts'

const idColumn = columns({ id: column.text('r.id') })

/** A repo that has the name now hides the old one, also if the caller does not see it. */
const byOldName = statement({
  name: 'repo-by-old-name',
  exact: 'aggregate',
  columns: idColumn,
  params: { ...repoViewer, owner: param.text(), slug: param.text() },
  text: `select ${idColumn.sql} from accounts o join repo_old_names n on n.owner_id = o.id and n.slug = :slug
      join repos r on r.id = n.repo_id
    where o.handle = :owner and ${visibleRepo}
      and not exists (select 1 from repos t where t.owner_id = o.id and t.slug = n.slug)`,
})

/** The repo that had this name before it was moved; null if the caller does not see it, or the name is taken. */
export async function repoMovedFrom(
  ctx: Pick<RequestContext, 'deps' | 'viewer'>,
  name: { readonly owner: string; readonly slug: string },
): Promise<Repo | null> {
  const [found] = await ctx.deps.db.query(byOldName, { ...visibleRepos(ctx.viewer), ...name })
  if (!found) return null
  const [repo = null] = await getReposById(ctx.deps.db, ctx.viewer, [found.id])
  return repo
}

const oldNameRow = insertInto('repo_old_names', {
  ownerId: param.text(),
  slug: param.text(),
  repoId: param.text(),
  movedAt: sql('now()'),
})

const keep = statement({
  name: 'repo-old-name-keep',
  params: oldNameRow.params,
  text: `${oldNameRow.sql} on conflict (owner_id, slug) do update set repo_id = excluded.repo_id, moved_at = excluded.moved_at`,
})

/** Keeps the name of a repo that is moved away from it. */
export async function keepOldName(tx: Tx, name: { ownerId: string; slug: string; repoId: string }): Promise<void> {
  await tx.query(keep, name)
}

const forget = statement({
  name: 'repo-old-name-forget',
  params: { ownerId: param.text(), slug: param.text() },
  text: 'delete from repo_old_names where owner_id = :ownerId and slug = :slug',
})

/** Ends an old name: a repo has taken it. */
export async function forgetOldName(tx: Tx, name: { ownerId: string; slug: string }): Promise<void> {
  await tx.query(forget, name)
}
