/** Reads of single repos: one named statement each, which also checks visibility. */

import { isId } from '@hub/formats/ids'
import { fullNameText, slugOfName } from '@hub/formats/text-rules'
import { assertMayWriteRepo, repoViewer, visibleRepos } from '../auth/policy.ts'
import type { RequestContext, Viewer } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import { assertAllRead, isLeftOut, sizedRows, unlessLeftOut } from '../store/bounded-read.ts'
import { type Columns, column, columns, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { type Given, param, statement } from '../store/statement.ts'
import { repoNamed } from './named-repo.ts'
import {
  cardColumn,
  cardDataColumn,
  cardedColumns,
  currentCommitId,
  type Repo,
  readCard,
  repoColumns,
  toRepo,
  visibleRepo,
  type WithCards,
} from './repo-shape.ts'

const byName = <R>(variant: '' | '-carded', columns: Columns<R>) =>
  statement({
    name: `repo-by-name${variant}`,
    exact: 'hot',
    columns,
    params: { ...repoViewer, owner: param.text(), slug: param.text() },
    text: `select ${columns.sql} from repos r join accounts o on o.id = r.owner_id
    where o.handle = :owner and r.slug = :slug and ${visibleRepo}`,
  })

const repoByName = byName('', repoColumns)
const cardedByName = byName('-carded', cardedColumns)

const byIdParams = { ...repoViewer, ids: param.texts() }

const byId = <R>(variant: '' | '-carded', columns: Columns<R>) =>
  statement({
    name: `repos-by-id${variant}`,
    exact: 'hot',
    columns,
    params: byIdParams,
    text: `select ${columns.sql} from repos r join accounts o on o.id = r.owner_id
    where r.id = any(:ids::text[]) and ${visibleRepo}`,
  })

const reposById = byId('', repoColumns)
const cardedById = byId('-carded', cardedColumns)

const sizedColumns = cardedColumns.with({
  ...isLeftOut,
  robotCard: column.json.orNull(unlessLeftOut(cardColumn), readCard),
  cardData: column.document.orNull<unknown>(unlessLeftOut(cardDataColumn)),
})

const cardedByIds = statement({
  name: 'repos-by-ids-carded',
  exact: 'client-json',
  columns: sizedColumns,
  params: byIdParams,
  text: `select ${sizedColumns.sql}
    from ${sizedRows('r.id', 'coalesce(c.card_bytes, 0) + r.card_bytes', 'repos r left join robot_cards c on c.repo_id = r.id', `r.id = any(:ids::text[]) and ${visibleRepo}`)} sized
    join repos r on r.id = sized.id join accounts o on o.id = r.owner_id`,
})

/** getRepo (spec, "Repos"): null if the repo does not exist or is not visible to the caller. One statement. */
export async function getRepo(
  ctx: RequestContext,
  { owner, slug }: { readonly owner: string; readonly slug: string },
  { cards }: WithCards,
): Promise<Repo | null> {
  const values = { ...visibleRepos(ctx.viewer), owner, slug }
  const [row] = cards ? await ctx.deps.db.query(cardedByName, values) : await ctx.deps.db.query(repoByName, values)
  return row ? toRepo(row) : null
}

/**
 * The repo of the owner that another client calls `name`: by its exact name as it was given, or by its slug. Null as
 * `getRepo`. One statement.
 */
export async function getRepoNamed(
  ctx: RequestContext,
  { owner, name }: { readonly owner: string; readonly name: string },
  cards: WithCards,
): Promise<Repo | null> {
  const repo = await getRepo(ctx, { owner, slug: slugOfName(name) }, cards)
  return repo && (repo.hfName === name || repo.slug === name) ? repo : null
}

/**
 * Repos by id in the order requested, null if not visible; one statement for any number; 413 if their cards are too
 * large in total. For loaders and `node`.
 */
export async function getReposById(
  querier: Querier,
  viewer: Viewer,
  ids: readonly string[],
  { cards }: WithCards = { cards: false },
): Promise<(Repo | null)[]> {
  const values = { ...visibleRepos(viewer), ids }
  const rows = cards ? await cardedRepos(querier, values) : await querier.query(reposById, values)
  const found = new Map(rows.map((row) => [row.id, toRepo(row)]))
  return ids.map((id) => found.get(id) ?? null)
}

async function cardedRepos(querier: Querier, values: Given<typeof byIdParams>) {
  if (values.ids.length === 1) return querier.query(cardedById, values)
  const rows = await querier.query(cardedByIds, values)
  assertAllRead(rows, 'cards')
  return rows
}

/** 404 if the repo with this id is gone or is not visible to the caller; `name` is its name in messages. */
export async function assertRepoVisible({ viewer, deps }: RequestContext, id: string, name: string): Promise<void> {
  const [repo] = await getReposById(deps.db, viewer, [id])
  if (!repo) throw notFound(`The repo ${name}`)
}

const factColumns = columns({
  id: column.text('r.id'),
  ownerId: column.text('r.owner_id'),
  kind: column.enum('RepoKind', 'r.kind'),
  visibility: column.enum('Visibility', 'r.visibility'),
  fullName: column.text("o.handle || '/' || r.slug"),
  seq: column.int4('r.seq'),
  snapshotCount: column.int4('r.snapshot_count'),
})

const robotsMeant = statement({
  name: 'robots-meant',
  exact: 'hot',
  columns: repoColumns,
  params: { ...repoViewer, ids: param.texts(), names: param.texts() },
  text: `select ${repoColumns.sql} from (select unnest(:ids::text[]) as id
      union select ${repoNamed('asked.name', 'robot')} from unnest(:names::text[]) asked(name)) meant
    join repos r on r.id = meant.id join accounts o on o.id = r.owner_id where ${visibleRepo}`,
})

/**
 * The robot repos with these ids or names (`repo_…`, or a full name in any letter case), in the order requested; null
 * if there is no such robot visible to the caller, and for other texts. One statement for any number, none if nothing
 * can be a robot.
 */
export async function getRobots(
  querier: Querier,
  viewer: Viewer,
  texts: readonly (string | null)[],
): Promise<(Repo | null)[]> {
  const keys = texts.map((text) =>
    text && isId('repo', text) ? text : fullNameText.safeParse(text?.toLowerCase()).data,
  )
  const asked = [...new Set(keys.filter((key) => key !== undefined))]
  if (asked.length === 0) return texts.map(() => null)
  const [ids, names] = [asked.filter((key) => isId('repo', key)), asked.filter((key) => !isId('repo', key))]
  const rows = await querier.query(robotsMeant, { ...visibleRepos(viewer), ids, names })
  const repos = rows.map((row) => toRepo(row)).filter(({ kind }) => kind === 'robot')
  const found = new Map([
    ...repos.map((repo) => [repo.id, repo] as const),
    ...repos.map((repo) => [repo.fullName, repo] as const),
  ])
  return keys.map((key) => (key === undefined ? null : (found.get(key) ?? null)))
}

/** The facts about a repo that verbs need. */
export type RepoFacts = RowOf<typeof factColumns>

const factsByName = statement({
  name: 'repo-facts-by-name',
  exact: 'each-request',
  columns: factColumns,
  params: { ...repoViewer, owner: param.text(), slug: param.text() },
  text: `select ${factColumns.sql} from repos r join accounts o on o.id = r.owner_id
    where o.handle = :owner and r.slug = :slug and ${visibleRepo}`,
})

const factsById = statement({
  name: 'repo-facts-by-id',
  exact: 'each-request',
  columns: factColumns,
  params: { id: param.text() },
  text: `select ${factColumns.sql} from repos r join accounts o on o.id = r.owner_id where r.id = :id`,
})

const lockById = statement({
  name: 'repo-lock',
  columns: factColumns,
  params: { repoId: param.text() },
  text: `select ${factColumns.sql} from repos r join accounts o on o.id = r.owner_id where r.id = :repoId
    for no key update of r`,
})

const lockWholeById = statement({
  name: 'repo-lock-whole',
  columns: factColumns,
  params: { repoId: param.text() },
  text: `select ${factColumns.sql} from repos r join accounts o on o.id = r.owner_id where r.id = :repoId for update of r`,
})

const keptColumns = columns({ id: column.text('id'), ownerId: column.text('owner_id') })

const keepById = statement({
  name: 'repo-keep',
  columns: keptColumns,
  params: { id: param.text() },
  text: `select ${keptColumns.sql} from repos where id = :id for key share`,
})

/** The repo `owner/slug`, for a verb; 404 if it is not visible to the caller. */
export async function findRepo(ctx: RequestContext, name: { owner: string; slug: string }): Promise<RepoFacts> {
  const [facts] = await ctx.deps.db.query(factsByName, { ...visibleRepos(ctx.viewer), ...name })
  if (!facts) throw notFound(`The repo ${name.owner}/${name.slug}`)
  return facts
}

/** The repo that a verb writes to. Errors: 404 invisible, 401, 403. */
export async function findRepoToWrite(
  ctx: RequestContext,
  name: { readonly owner: string; readonly repo: string },
): Promise<RepoFacts> {
  const facts = await findRepo(ctx, { owner: name.owner, slug: name.repo })
  assertMayWriteRepo(ctx.viewer, facts, facts.fullName)
  return facts
}

/**
 * The repo with this id that a verb writes to, null if it no longer exists; `name` is its name in messages. Errors: 404
 * invisible, 401, 403.
 */
export async function findRepoByIdToWrite(ctx: RequestContext, id: string, name: string): Promise<RepoFacts | null> {
  const [facts] = await ctx.deps.db.query(factsById, { id })
  if (!facts) return null
  assertMayWriteRepo(ctx.viewer, facts, `The repo ${name}`)
  return facts
}

const commitColumn = columns({ commitId: column.text(currentCommitId) })

const commitOfRepo = statement({
  name: 'repo-current-commit',
  exact: 'in-transaction',
  columns: commitColumn,
  params: { repoId: param.text() },
  text: `select ${commitColumn.sql} from repos r where r.id = :repoId`,
})

/**
 * The commit id of the current state; null if the repo is gone. Not part of `lockRepo`: a statement that waited for the
 * lock sees the new row of the repo, but the changes as they were when it began.
 */
export async function currentCommitOf(querier: Querier, repoId: string): Promise<string | null> {
  const [found] = await querier.query(commitOfRepo, { repoId })
  return found?.commitId ?? null
}

/**
 * Locks the repo row until the transaction ends: first in the lock order (repo, account, upload, blob). Null if the
 * repo no longer exists. Those who only keep it from deletion do not wait for it, nor it for them.
 */
export async function lockRepo(tx: Querier, repoId: string): Promise<RepoFacts | null> {
  const [facts] = await tx.query(lockById, { repoId })
  return facts ?? null
}

/**
 * The same for one that deletes or renames the repo: it also waits for those that keep it from deletion, and so sees
 * what they wrote.
 */
export async function lockWholeRepo(tx: Querier, repoId: string): Promise<RepoFacts | null> {
  const [facts] = await tx.query(lockWholeById, { repoId })
  return facts ?? null
}

/**
 * Keeps the repo from deletion and from another owner until the transaction ends, and blocks nothing else. Its owner is
 * that of now: it may have moved since it was found. Null if it no longer exists.
 */
export async function keepRepo(tx: Querier, repoId: string): Promise<Pick<RepoFacts, 'id' | 'ownerId'> | null> {
  const [kept] = await tx.query(keepById, { id: repoId })
  return kept ?? null
}

/**
 * Locks the repo that is written to, and keeps the other one from deletion, in the order of their ids like every lock
 * of two repos. Returns the first as it is now; 404 if either no longer exists.
 */
export async function lockWithOther(tx: Querier, written: RepoFacts, other: RepoFacts): Promise<RepoFacts> {
  let locked = written
  for (const repo of [written, other].toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const now = repo.id === written.id ? await lockRepo(tx, repo.id) : (await keepRepo(tx, repo.id)) && other
    if (!now) throw notFound(`The repo ${repo.fullName}`)
    if (repo.id === written.id) locked = now
  }
  return locked
}
