/**
 * The commit that brought what a state has at a path: of the commits that the caller is listed and the state itself,
 * the first one that has the path as it is in the state. So it tells no commit that `Repo.commits` would not.
 */
import { mayWriteRepo } from '../../auth/may-write-repo.ts'
import type { RequestContext } from '../../operation/context.ts'
import { column, columns } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { END_SEQ } from './history.ts'
import { goneState, type RepoState } from './states.ts'
import { stateIsThere } from './tree-at.ts'

/** A path of a state, and the commit since which it is as it is there. */
export interface LastCommit {
  readonly path: string
  /** 40 hex digits. */
  readonly commitId: string
  readonly message: string | null
  readonly time: string
}

/** Paths of one request: each may be a folder, of which up to `MAX_FOLDER_VERSIONS` versions of files are read. */
export const MAX_LAST_COMMIT_PATHS = 100

/** Versions of the files of a folder that are read: of one that has no more, all. */
export const MAX_FOLDER_VERSIONS = 1000

/** Versions that are read, in the index alone, for all folders of a request that have more: each has an equal share. */
export const MAX_LARGE_VERSIONS = 200_000

/** The newest files of the repo that came, and that went, which are read besides for all of these folders. */
export const MAX_NEWEST_FILES = 2000

/** Without a path: the state is there, and has none of them. Without a commit: the folder is large. */
const lastColumns = columns({
  path: column.text.orNull('l.path'),
  isLarge: column.bool('coalesce(l.is_large, false)'),
  commitId: column.text.orNull('c.commit_id'),
  message: column.text.orNull('c.message'),
  time: column.timestamptz.orNull('c.at'),
})
const lastOfLargeColumns = columns({
  path: column.text('l.path'),
  commitId: column.text('c.commit_id'),
  message: column.text.orNull('c.message'),
  time: column.timestamptz('c.at'),
})

const params = { repoId: param.text(), seq: param.int4(), paths: param.texts(), isAll: param.bool() }

/**
 * `inState`, so written that the index of paths alone serves it: for each path, the planner would else read all the
 * files that were ever replaced in the repo.
 */
const isInState = `i.repo_id = q.repo_id and i.from_seq <= q.seq and coalesce(i.to_seq, ${END_SEQ}) > q.seq`
const isBelow = (row: string) => `${row}.path >= w.path || '/' and ${row}.path < w.path || '0'`

/** The first versions of the files of a folder until the state: when each came or went, the later of both. */
const versionsBelow = (most: string) => `select case when i.to_seq <= q.seq then i.to_seq else i.from_seq end as seq,
        coalesce(i.to_seq, ${END_SEQ}) > q.seq as is_there
      from files i where i.repo_id = q.repo_id and i.from_seq <= q.seq and ${isBelow('i')} order by i.path
      limit ${most} + 1`

/** The newest change of a file, or of the files of a folder, also one that has deleted some. */
const changedAt = `select max(i.seq) as seq, bool_or(i.is_there) as is_there, count(*) > ${MAX_FOLDER_VERSIONS} as is_large from (
        (select i.from_seq as seq, true as is_there from files i where ${isInState} and i.path = w.path limit 1)
        union all (${versionsBelow(`${MAX_FOLDER_VERSIONS}`)})) i`

/** The first commit that the caller is listed from a change on, or else that of the state. */
const listedFrom = (seq: string) => `least(q.seq,
          case when :isAll then (select c.seq from repo_changes c
              where c.repo_id = q.repo_id and c.seq >= ${seq} order by c.seq limit 1)
            else (select s.seq from repo_snapshots s
              where s.repo_id = q.repo_id and s.seq >= ${seq} order by s.seq limit 1) end)`

/** One row, looked up: a join is planned as a scan where many paths are asked for. */
const commitOf = '(select * from repo_changes c where c.repo_id = q.repo_id and c.seq = l.seq limit 1)'

/**
 * A row for each path with an answer, or of a folder that is large, in the order asked; without any one row of nulls,
 * none if the state is gone.
 */
export const lastCommitsOfState = statement({
  name: 'files-last-commits',
  exact: 'hot',
  columns: lastColumns,
  params,
  text: `select ${lastColumns.sql} from (select :repoId::text as repo_id, :seq::int as seq) q
    left join lateral (select w.path, w.place, changed.is_large,
        case when not changed.is_large then ${listedFrom('changed.seq')} end as seq
      from unnest(:paths::text[]) with ordinality as w(path, place)
      cross join lateral (${changedAt}) changed
      where changed.is_there or changed.is_large) l on true
    left join lateral ${commitOf} c on true
    where ${stateIsThere} order by l.place`,
})

/** What came, or went, by the newest changes until the state; the last one need not be whole. */
const newest = (end: 'from_seq' | 'to_seq') => `select i.${end} as seq, i.path from files i
      where i.repo_id = :repoId and i.${end} <= :seq order by i.${end} desc limit ${MAX_NEWEST_FILES}`
const cutOf = (rows: string) =>
  `(select case when count(*) = ${MAX_NEWEST_FILES} then min(seq) else 0 end from ${rows})`

/**
 * The same of folders that are large. The newest change that is seen, among the newest files of the repo or the
 * versions of the folder, is the answer if all versions are read, or if a later one would be among the newest files.
 */
export const lastCommitsOfLarge = statement({
  name: 'files-last-commits-large',
  exact: 'hot',
  columns: lastOfLargeColumns,
  params,
  text: `with came as materialized (${newest('from_seq')}), went as materialized (${newest('to_seq')})
    select ${lastOfLargeColumns.sql} from (select :repoId::text as repo_id, :seq::int as seq,
        ${MAX_LARGE_VERSIONS} / cardinality(:paths::text[]) as most,
        greatest(${cutOf('came')}, ${cutOf('went')}) as cut) q
    cross join lateral (select w.path, w.place, ${listedFrom('changed.seq')} as seq
      from unnest(:paths::text[]) with ordinality as w(path, place)
      cross join lateral (select max(i.seq) as seq, bool_or(i.is_there) as is_there, count(*) > q.most as is_cut
        from (${versionsBelow('q.most')}) i) here
      cross join lateral (select greatest(here.seq, (select max(n.seq) from came n where ${isBelow('n')}),
          (select max(n.seq) from went n where ${isBelow('n')})) as seq) changed
      where (changed.seq >= q.cut or not here.is_cut)
        and (here.is_there or here.is_cut and exists (select from files i where ${isInState} and ${isBelow('i')}))) l
    cross join lateral ${commitOf} c
    where ${stateIsThere} order by l.place`,
})

/**
 * For those of the paths that the state has, in their order. Left out are folders that have too many versions of files
 * (`MAX_LARGE_VERSIONS`), and were last changed before the newest files of the repo. 404 if the state is gone. One
 * statement, and one for all folders with more than 1,000 versions.
 */
export async function lastCommitsOf(
  { deps: { db }, viewer }: Pick<RequestContext, 'deps' | 'viewer'>,
  { repoId, ownerId, visibility, fullName, seq }: RepoState,
  paths: readonly string[],
): Promise<LastCommit[]> {
  if (paths.length === 0) return []
  const isAll = mayWriteRepo(viewer, { id: repoId, ownerId, visibility })
  const first = await db.query(lastCommitsOfState, { repoId, seq, paths: [...paths], isAll })
  if (first.length === 0) throw goneState(fullName, String(seq))
  const large = first.flatMap(({ path, isLarge }) => (isLarge && path !== null ? [path] : []))
  const second = large.length > 0 ? await db.query(lastCommitsOfLarge, { repoId, seq, paths: large, isAll }) : []
  const found = new Map(
    [...first, ...second].flatMap(({ path, commitId, message, time }) =>
      path === null || commitId === null || time === null ? [] : [[path, { path, commitId, message, time }] as const],
    ),
  )
  return first.flatMap(({ path }) => found.get(path ?? '') ?? [])
}
