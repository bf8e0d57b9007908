/** Reads of single repos: one named statement each, visibility inside the statement. */
import { assertMayWriteRepo, repoViewer, visibleRepos } from '../auth/policy.ts'
import type { RequestContext, Viewer } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import { fullNameText } from '../platform/text-rules.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { type Repo, type RepoKind, repoColumns, toRepo, type Visibility, visibleRepo } from './repo-shape.ts'

const repoByName = statement({
  name: 'repo-by-name',
  columns: repoColumns,
  params: { ...repoViewer, owner: param<string>(), slug: param<string>() },
  text: `select ${repoColumns.sql} from repos r join accounts o on o.id = r.owner_id
    where o.handle = :owner and r.slug = :slug and ${visibleRepo}`,
})

const reposById = statement({
  name: 'repos-by-id',
  columns: repoColumns,
  params: { ...repoViewer, ids: param<readonly string[]>() },
  text: `select ${repoColumns.sql} from repos r join accounts o on o.id = r.owner_id
    where r.id = any(:ids::text[]) and ${visibleRepo}`,
})

/** getRepo (spec, "Repos"): null where the repo does not exist or the caller may not see it. One statement. */
export async function getRepo(ctx: RequestContext, name: { owner: string; slug: string }): Promise<Repo | null> {
  const [row] = await ctx.deps.db.query(repoByName, { ...visibleRepos(ctx.viewer), ...name })
  return row ? toRepo(row) : null
}

/** Repos by id in the order asked, null where invisible; one statement for any number. For loaders and `node`. */
export async function getReposById(querier: Querier, viewer: Viewer, ids: readonly string[]): Promise<(Repo | null)[]> {
  const rows = await querier.query(reposById, { ...visibleRepos(viewer), ids })
  const byId = new Map(rows.map((row) => [row.id, toRepo(row)]))
  return ids.map((id) => byId.get(id) ?? null)
}

const factColumns = columns({
  id: column<string>('r.id'),
  ownerId: column<string>('r.owner_id'),
  kind: column<RepoKind>('r.kind'),
  visibility: column<Visibility>('r.visibility'),
  fullName: column<string>("o.handle || '/' || r.slug"),
  seq: column<number>('r.seq'),
})

const robotsByName = statement({
  name: 'robots-by-name',
  columns: repoColumns,
  params: { ...repoViewer, names: param<readonly string[]>() },
  text: `select ${repoColumns.sql} from repos r join accounts o on o.id = r.owner_id
    where (o.handle, r.slug) in (select split_part(n, '/', 1), split_part(n, '/', 2) from unnest(:names::text[]) n)
      and r.kind = 'robot' and ${visibleRepo}`,
})

/**
 * The robot repos that these texts name, letter case aside, in the order asked; null for a text that is no name of a robot that the caller sees. One
 * statement for any number, none where no text is a full name.
 */
export async function getRobotsByName(
  querier: Querier,
  viewer: Viewer,
  texts: readonly string[],
): Promise<(Repo | null)[]> {
  const names = texts.map((text) => fullNameText.safeParse(text.toLowerCase()).data ?? null)
  const asked = [...new Set(names.filter((name) => name !== null))]
  const rows = asked.length === 0 ? [] : await querier.query(robotsByName, { ...visibleRepos(viewer), names: asked })
  const byName = new Map(rows.map(toRepo).map((repo) => [repo.fullName, repo]))
  return names.map((name) => (name === null ? null : (byName.get(name) ?? null)))
}

/** What a verb needs of the repo that it acts on. */
export type RepoFacts = RowOf<typeof factColumns>

const factsByName = statement({
  name: 'repo-facts-by-name',
  columns: factColumns,
  params: { ...repoViewer, owner: param<string>(), slug: param<string>() },
  text: `select ${factColumns.sql} from repos r join accounts o on o.id = r.owner_id
    where o.handle = :owner and r.slug = :slug and ${visibleRepo}`,
})

const lockById = statement({
  name: 'repo-lock',
  columns: factColumns,
  text: `select ${factColumns.sql} from repos r join accounts o on o.id = r.owner_id where r.id = $1 for update of r`,
})

/** The repo that `owner/slug` names, for a verb; 404 where the caller may not see it. */
export async function findRepo(ctx: RequestContext, name: { owner: string; slug: string }): Promise<RepoFacts> {
  const [facts] = await ctx.deps.db.query(factsByName, { ...visibleRepos(ctx.viewer), ...name })
  if (!facts) throw notFound(`The repo ${name.owner}/${name.slug}`)
  return facts
}

/** The repo that a verb writes. Errors: 404 invisible, 401, 403. */
export async function findRepoToWrite(
  ctx: RequestContext,
  name: { readonly owner: string; readonly repo: string },
): Promise<RepoFacts> {
  const facts = await findRepo(ctx, { owner: name.owner, slug: name.repo })
  assertMayWriteRepo(ctx.viewer, facts, facts.fullName)
  return facts
}

/** Locks the repo row until the transaction ends: first in the lock order (repo, account, upload, blob). Null when it is gone. */
export async function lockRepo(tx: Querier, repoId: string): Promise<RepoFacts | null> {
  const [facts] = await tx.query(lockById, [repoId])
  return facts ?? null
}
