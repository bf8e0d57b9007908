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

/** Paths of one request: each may be a folder, of which up to `MAX_FOLDER_FILES` files are read. */
export const MAX_LAST_COMMIT_PATHS = 100

/** Files of a folder that are looked at. A folder of more has no answer, as it would cost as much as it has files. */
export const MAX_FOLDER_FILES = 1000

const lastColumns = columns({
  path: column.text.orNull('l.path'),
  commitId: column.text.orNull('c.commit_id'),
  message: column.text.orNull('c.message'),
  time: column.timestamptz.orNull('c.at'),
})

/**
 * `inState`, so written that the index of paths alone serves it: for each path, the planner would else read all the
 * files that were ever replaced in the repo.
 */
const isInState = `i.repo_id = q.repo_id and i.from_seq <= q.seq and coalesce(i.to_seq, ${END_SEQ}) > q.seq`

/** The newest change of a file, or of the files of a folder; one that is too large counts more than may be read. */
const changedAt = `select max(i.from_seq) as seq, count(*) as files from (
        (select i.from_seq from files i where ${isInState} and i.path = w.path limit 1)
        union all (select i.from_seq from files i
          where ${isInState} and i.path >= w.path || '/' and i.path < w.path || '0' order by i.path
          limit ${MAX_FOLDER_FILES + 1})) i`

/** A row for each path with an answer, in the order asked; without any one row of nulls, none if the state is gone. */
export const lastCommitsOfState = statement({
  name: 'files-last-commits',
  exact: 'hot',
  columns: lastColumns,
  params: { repoId: param.text(), seq: param.int4(), paths: param.texts(), isAll: param.bool() },
  text: `select ${lastColumns.sql} from (select :repoId::text as repo_id, :seq::int as seq) q
    left join lateral (select w.path, w.place, since.seq
      from unnest(:paths::text[]) with ordinality as w(path, place)
      cross join lateral (${changedAt}) changed
      cross join lateral (select least(q.seq,
          case when :isAll then (select c.seq from repo_changes c
              where c.repo_id = q.repo_id and c.seq >= changed.seq order by c.seq limit 1)
            else (select s.seq from repo_snapshots s
              where s.repo_id = q.repo_id and s.seq >= changed.seq order by s.seq limit 1) end) as seq) since
      where changed.seq is not null and changed.files <= ${MAX_FOLDER_FILES}) l on true
    left join repo_changes c on c.repo_id = q.repo_id and c.seq = l.seq
    where ${stateIsThere} order by l.place`,
})

/**
 * For those of the paths that the state has, in their order; a folder of more than 1,000 files is left out. 404 if the
 * state is gone. One statement.
 */
export async function lastCommitsOf(
  { deps: { db }, viewer }: Pick<RequestContext, 'deps' | 'viewer'>,
  { repoId, ownerId, visibility, fullName, seq }: RepoState,
  paths: readonly string[],
): Promise<LastCommit[]> {
  if (paths.length === 0) return []
  const isAll = mayWriteRepo(viewer, { id: repoId, ownerId, visibility })
  const rows = await db.query(lastCommitsOfState, { repoId, seq, paths: [...paths], isAll })
  if (rows.length === 0) throw goneState(fullName, String(seq))
  return rows.flatMap(({ path, commitId, message, time }) =>
    path === null || commitId === null || time === null ? [] : [{ path, commitId, message, time }],
  )
}
