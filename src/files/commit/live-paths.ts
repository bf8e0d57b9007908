/** The files of a repo that a commit finds: at its paths, in its folders, and in the states that it copies from. */
import { prefixSuccessor } from '@hub/text/file-path'
import { HubError } from '../../platform/errors.ts'
import type { RepoFacts } from '../../repos/get-repo.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { MAX_COMMIT_FILES } from '../limits.ts'
import { shareState } from '../versions/states.ts'
import type { Copied } from './commit-input.ts'

const foundColumns = columns({
  path: column.text('f.path'),
  blobId: column.text('b.id'),
  size: column.int8('b.size'),
  /** Verified, or null. */
  sha256: column.text.orNull('b.sha256'),
  claimed: column.text('b.claimed'),
  mime: column.text.orNull('f.mime'),
})

export type FoundFile = RowOf<typeof foundColumns>

/**
 * The bytes of the file `f`. `offset 0` keeps each a look-up by its id: the plan for any number of files expects so
 * many that it would read all bytes of the hub into a table of its own.
 */
const blobOfFile = `cross join lateral (select id, size, sha256, claimed from blobs where id = f.blob_id offset 0) b`

/**
 * Exact look-ups of the paths, and one range for each folder: the collation of paths is that of bytes. The order inside
 * makes each range a walk of the index; else a hundred thousand folders may be compared with each file of the repo. So
 * does that of each path, as a range of one: until PostgreSQL has statistics of what a large push wrote, it expects one
 * file of the repo, and would compare each path with each file (20,000 of 57,000 files took over 30 s).
 */
export const livePaths = statement({
  name: 'commit-live-paths',
  exact: 'in-transaction',
  columns: foundColumns,
  params: { repoId: param.text(), paths: param.texts(), lowers: param.texts(), uppers: param.texts() },
  text: `select ${foundColumns.sql} from (
      select l.path, l.blob_id, l.mime from unnest(:paths::text[]) as q(path)
        cross join lateral (select path, blob_id, mime from files
          where repo_id = :repoId and to_seq is null and path >= q.path and path <= q.path order by path limit 1) l
      union select l.path, l.blob_id, l.mime from unnest(:lowers::text[], :uppers::text[]) as q(lower, upper)
        cross join lateral (select path, blob_id, mime from files
          where repo_id = :repoId and to_seq is null and path >= q.lower and path < q.upper
            order by path limit ${MAX_COMMIT_FILES + 1}) l
      limit ${MAX_COMMIT_FILES + 1}) f
    ${blobOfFile}`,
})

/**
 * Live files by path: at `paths`, and in the folders among them, which end with `/`. 413 `too_large` for more than a
 * commit may touch.
 */
export async function findLive(
  tx: Tx,
  repoId: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, FoundFile>> {
  if (paths.length === 0) return new Map()
  const folders = outermost(paths.filter((path) => path.endsWith('/')))
  const rows = await tx.query(livePaths, {
    repoId,
    paths: paths.filter((path) => !path.endsWith('/')),
    lowers: folders,
    uppers: folders.map(prefixSuccessor),
  })
  if (rows.length > MAX_COMMIT_FILES) {
    const detail = `The folders that the commit deletes have more than ${MAX_COMMIT_FILES} files; delete them in several commits.`
    throw new HubError('too_large', detail, { facts: { limit: MAX_COMMIT_FILES, used: null } })
  }
  return new Map(rows.map((row) => [row.path, row]))
}

/** Without folders in others of them, so that each file is found once. In order. */
function outermost(folders: readonly string[]): string[] {
  const outer: string[] = []
  for (const folder of folders.toSorted(byUnits)) if (!folder.startsWith(outer.at(-1) ?? '/')) outer.push(folder)
  return outer
}

/** Of UTF-16: whatever begins with a text stands together, right after it. */
const byUnits = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** The files that the commit deletes. 404 `not_found` for a path that is not a file, and for a folder without files. */
export async function findDeleted(
  tx: Tx,
  repo: RepoFacts,
  paths: readonly string[],
): Promise<ReadonlyMap<string, FoundFile>> {
  const found = await findLive(tx, repo.id, paths)
  const inOrder = paths.some((path) => path.endsWith('/')) ? [...found.keys()].sort(byUnits) : []
  const items = paths.flatMap((path, index) => {
    if (path.endsWith('/') ? hasFiles(inOrder, path) : found.has(path)) return []
    const detail = `${JSON.stringify(path)} is not a ${path.endsWith('/') ? 'folder' : 'file'} of ${repo.fullName}.`
    return [{ type: 'not_found', detail, loc: ['delete', index] }]
  })
  const [first] = items
  if (first) throw new HubError('not_found', first.detail, { items })
  return found
}

/** Whether one of `paths`, which are in order, is in the folder: by halves, however deep the paths are. */
function hasFiles(paths: readonly string[], folder: string): boolean {
  let [low, high] = [0, paths.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((paths[middle] ?? '') < folder) low = middle + 1
    else high = middle
  }
  return paths[low]?.startsWith(folder) ?? false
}

const copiedColumns = foundColumns.with({ place: column.int4('q.place::int') })

const copiedFiles = statement({
  name: 'commit-copied-files',
  exact: 'in-transaction',
  columns: copiedColumns,
  params: { repoId: param.text(), froms: param.texts(), seqs: param.int4s() },
  text: `select ${copiedColumns.sql}
    from unnest(:froms::text[], :seqs::int[]) with ordinality as q(path, seq, place)
    join files f on f.repo_id = :repoId and f.path = q.path and f.from_seq <= q.seq
      and (f.to_seq is null or f.to_seq > q.seq)
    ${blobOfFile}`,
})

/**
 * The file that each copy takes, in their order. The states are locked, so that collection takes none of their files
 * before the commit has linked them. 404 for a state that is gone or has no such file.
 */
export async function findCopied(tx: Tx, repo: RepoFacts, copies: readonly Copied[]): Promise<FoundFile[]> {
  if (copies.length === 0) return []
  const seqs = copies.map(({ seq }) => seq ?? repo.seq)
  for (const seq of new Set(seqs)) {
    const [shared] = seq === repo.seq || seq === 0 ? [true] : await tx.query(shareState, { repoId: repo.id, seq })
    if (!shared) throw new HubError('not_found', `The version of ${repo.fullName} that the commit copies from is gone.`)
  }
  const rows = await tx.query(copiedFiles, { repoId: repo.id, froms: copies.map(({ from }) => from), seqs })
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  const items = copies.flatMap(({ from }, index) => {
    if (byPlace.has(index + 1)) return []
    const detail = `${JSON.stringify(from)} is not a file of that version of ${repo.fullName}.`
    return [{ type: 'not_found', detail, loc: ['copy', index, 'from'] }]
  })
  const [first] = items
  if (first) throw new HubError('not_found', first.detail, { items })
  return copies.flatMap((_, index) => byPlace.get(index + 1) ?? [])
}
