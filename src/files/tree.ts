/** getRepoTree (spec, "GET …/tree"): a flat listing in byte order of path, a keyset page at constant cost however large the repo is. */
import type { RequestContext } from '../context.ts'
import { invalid } from '../errors.ts'
import { decodeCursor, encodeCursor, MAX_CURSOR_LENGTH } from '../page.ts'
import { findRepo } from '../repos/get-repo.ts'
import type { Querier, Statement } from '../store/db.ts'
import { fileEntryColumns, type RepoFileEntry } from './file-entry.ts'
import { DEFAULT_TREE_LIMIT } from './limits.ts'
import { justAfter, pathFault, prefixSuccessor } from './path.ts'
import type { TreeInput } from './schemas.ts'

interface TreeRow extends RepoFileEntry {
  readonly id: number
  readonly repoId: string
}

/**
 * The first rows of a range of paths, of each repo. The page is cut before the blobs are joined, and `offset 0` keeps each blob a look-up by key:
 * a prepared statement does not know its limit, and would plan a hash of all blobs for the tenth of a large repo that it assumes.
 */
export const treePage: Statement<TreeRow> = {
  name: 'files-tree',
  text: `select q.repo_id as "repoId", f.id, ${fileEntryColumns}
    from unnest($1::text[], $2::text[]) with ordinality as q(repo_id, lower, place)
    cross join lateral (select id, path, blob_id, mime, updated_at from files
      where repo_id = q.repo_id and to_seq is null and path >= q.lower and path < $3 order by path limit $4) f
    cross join lateral (select size, etag, sha256 from blobs where id = f.blob_id offset 0) b
    order by q.place, f.path`,
}

const pathOfRow: Statement<{ path: string }> = {
  name: 'files-cursor-row',
  text: 'select path from files where id = $1 and repo_id = $2',
}

/** `cursorOf` makes the cursor of one row when it is asked for: most pages need only the last. */
export interface FilePage {
  readonly nodes: readonly RepoFileEntry[]
  readonly hasNextPage: boolean
  readonly cursorOf: (file: RepoFileEntry) => string
}

export interface FilesOfRepos {
  /** Of repos that the caller has been found to see. */
  readonly repoIds: readonly string[]
  readonly prefix: string
  readonly limit: number
  readonly after: string | null
}

const listingOf = (repoId: string, prefix: string) => `tree:${repoId}:${prefix}`

/** A page of each repo, in the order asked: one statement for any number. 422 `validation.cursor` for a cursor of another listing. */
export async function filesOfRepos(ctx: Pick<RequestContext, 'deps'>, query: FilesOfRepos): Promise<FilePage[]> {
  const { db } = ctx.deps
  const bounds = await Promise.all(query.repoIds.map((repoId) => lowerBound(db, repoId, query)))
  const rows = await db.query(treePage, [query.repoIds, bounds, prefixSuccessor(query.prefix), query.limit + 1])
  const byRepo = Map.groupBy(rows, (row) => row.repoId)
  return query.repoIds.map((repoId) => toPage(byRepo.get(repoId) ?? [], repoId, query))
}

/** The page of one repo by its name, as `/v1` shows it. Errors: 404, 422. Two statements. */
export async function listTree(
  ctx: RequestContext,
  input: TreeInput,
): Promise<{ items: readonly RepoFileEntry[]; nextCursor: string | null }> {
  const repo = await findRepo(ctx, { owner: input.owner, slug: input.repo })
  const query = { repoIds: [repo.id], prefix: input.prefix ?? '', limit: input.limit, after: input.cursor ?? null }
  const [page] = await filesOfRepos(ctx, query)
  const last = page?.nodes.at(-1)
  return { items: page?.nodes ?? [], nextCursor: page?.hasNextPage && last ? page.cursorOf(last) : null }
}

/** The first files of many repos at once, for a loader: one statement. */
export async function firstFilesOfRepos(
  db: Querier,
  repoIds: readonly string[],
  limit = DEFAULT_TREE_LIMIT,
): Promise<RepoFileEntry[][]> {
  const rows = await db.query(treePage, [repoIds, repoIds.map(() => ''), prefixSuccessor(''), limit])
  const byRepo = Map.groupBy(rows, (row) => row.repoId)
  return repoIds.map((repoId) => (byRepo.get(repoId) ?? []).map(toEntry))
}

function toPage(rows: readonly TreeRow[], repoId: string, query: FilesOfRepos): FilePage {
  const page = rows.slice(0, query.limit)
  const listing = listingOf(repoId, query.prefix)
  const idOf = new Map(page.map((row) => [row.path, row.id]))
  return {
    nodes: page.map(toEntry),
    hasNextPage: rows.length > query.limit,
    cursorOf(file) {
      const byPath = encodeCursor(listing, [file.path])
      // A path may be twice as long as a cursor: then the row stands for it, which the log keeps for the grace period at least.
      return byPath.length <= MAX_CURSOR_LENGTH ? byPath : encodeCursor(listing, [idOf.get(file.path) ?? null])
    },
  }
}

const toEntry = ({ path, size, etag, sha256, mime, updatedAt }: TreeRow): RepoFileEntry => ({
  path,
  size,
  etag,
  sha256,
  mime,
  updatedAt,
})

async function lowerBound(db: Querier, repoId: string, query: FilesOfRepos): Promise<string> {
  if (query.after === null) return query.prefix
  const [key, ...rest] = decodeCursor(listingOf(repoId, query.prefix), query.after, ['after'])
  if (rest.length === 0 && typeof key === 'string' && pathFault(key) === null) return justAfter(key)
  const [row] = rest.length === 0 && Number.isSafeInteger(key) ? await db.query(pathOfRow, [key, repoId]) : []
  if (row) return justAfter(row.path)
  throw invalid('validation.cursor', 'The cursor is malformed, or too old: its file is gone. Start again without it.', [
    'after',
  ])
}
