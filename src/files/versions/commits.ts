/**
 * The commits of a repo: its states as other clients list them, newest first, each with its commit id. Those
 * who can write the repo get every state that is left, others the current one and those that snapshots name. Contract,
 * "Versions".
 */

import { personFor } from '../../accounts/person-for.ts'
import { readAccount } from '../../auth/account-json.ts'
import { mayWriteRepo } from '../../auth/may-write-repo.ts'
import { runViewer, runVisibleSql, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { decodeCursor, encodeCursor, type Page } from '../../platform/page.ts'
import type { Repo } from '../../repos/repo-shape.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { END_SEQ, isSeqBelowEnd, snapshotNames } from './history.ts'

const commitColumns = columns({
  repoId: column.text('r.id'),
  ownerId: column.text('r.owner_id'),
  seq: column.int4('c.seq'),
  commitId: column.text('c.commit_id'),
  message: column.text.orNull('c.message'),
  /** The run that made it. Not for every reader. */
  runId: column.text.orNull('c.run_id'),
  time: column.timestamptz('c.at'),
  /** Null for background work, for keys without a person and for the empty state. */
  author: column.json.orNull(
    `(select json_build_object('id', a.id, 'kind', a.kind, 'handle', a.handle, 'name', a.name) from accounts a where a.id = c.actor_id)`,
    readAccount,
  ),
  snapshots: snapshotNames,
  isCurrent: column.bool('c.seq = r.seq'),
})

/** A state of a repo as a commit; the empty state is the first one, without message and author. */
export type RepoCommit = Omit<RowOf<typeof commitColumns>, 'repoId' | 'ownerId'>

const fields = 'c.seq, c.repo_id, c.commit_id, c.message, c.at, c.actor_id, c.run_id'
const newest = 'order by c.seq desc limit :limit'
/** The changes to the states that readers are listed: the current one and those with a name, at most a thousand. */
const named = `(select s.seq from repo_snapshots s where s.repo_id = r.id union select r.seq) named
          join repo_changes c on c.repo_id = r.id and c.seq = named.seq`

/**
 * Each branch reads at most a page by the primary key; the middle one also the names of the repo, of which there are at
 * most a thousand.
 */
const commitsPage = statement({
  name: 'repo-commits',
  exact: 'per-parent',
  columns: commitColumns,
  params: { repoIds: param.texts(), areAll: param.bools(), before: param.int4(), limit: param.int8() },
  text: `select ${commitColumns.sql} from unnest(:repoIds::text[], :areAll::bool[]) as q(repo_id, is_all)
    join repos r on r.id = q.repo_id
    cross join lateral (select * from (
        (select ${fields} from repo_changes c where q.is_all and c.repo_id = r.id and c.seq < :before ${newest})
        union all (select ${fields} from ${named} where not q.is_all and c.seq < :before ${newest})
        union all select 0, r.id, r.empty_commit_id, null, r.created_at, null, null
          where :before > 0 and (q.is_all or r.seq = 0
            or exists (select 1 from repo_snapshots s where s.repo_id = r.id and s.seq = 0))) listed
      order by seq desc limit :limit) c
    order by r.id, c.seq desc`,
})

/** The most runs of a repo whose last version is looked up: the newest, as ids sort by creation. */
export const MAX_RUNS_OF_VERSIONS = 1000

/**
 * The last version of each run, of the runs that the caller sees: the last one that it is listed, so that what others
 * made in between stays unknown. Of all versions it steps from run to run in the index of changes of runs and takes the
 * last change of each, so that it costs as much as the repo has runs; of named ones it reads all. Whether the caller
 * sees a run is a subquery, not a join, which might begin with all runs of an account.
 */
export const runCommitsPage = statement({
  name: 'repo-run-commits',
  exact: 'per-parent',
  columns: commitColumns,
  params: {
    ...{ ...runViewer, modelIds: param.texts(), areAll: param.bools() },
    ...{ before: param.int4(), limit: param.int8() },
  },
  text: `select ${commitColumns.sql} from unnest(:modelIds::text[], :areAll::bool[]) as q(repo_id, is_all)
    join repos r on r.id = q.repo_id
    cross join lateral (select * from (
        select last.* from (with recursive made(run_id, n) as (
            (select c.run_id, 1 from repo_changes c where q.is_all and c.repo_id = r.id and c.run_id is not null
              order by c.run_id desc limit 1)
            union all select (select c.run_id from repo_changes c
                where c.repo_id = r.id and c.run_id is not null and c.run_id < made.run_id
                order by c.run_id desc limit 1), made.n + 1
              from made where made.run_id is not null and made.n < ${MAX_RUNS_OF_VERSIONS})
          select run_id from made where run_id is not null) made
        cross join lateral (select ${fields} from repo_changes c
          where c.repo_id = r.id and c.run_id = made.run_id order by c.seq desc limit 1) last
        union all (select distinct on (c.run_id) ${fields} from ${named}
          where not q.is_all and c.run_id is not null order by c.run_id, c.seq desc)) c
      where c.seq < :before and (select ${runVisibleSql('u')} from runs u where u.id = c.run_id)
      ${newest}) c
    order by r.id, c.seq desc`,
})

export interface CommitsInput {
  /** Only the last version of each of the runs that the caller sees. */
  readonly byRun: boolean
  readonly limit: number
  readonly after: string | null
}

/**
 * A page for each repo, in the order requested. The people of an owner are named to the owner and its members only. One
 * statement. 422 `validation.cursor`.
 */
export async function commitsOfRepos(
  { deps: { db }, viewer }: Pick<RequestContext, 'deps' | 'viewer'>,
  repos: readonly Repo[],
  { byRun, limit, after }: CommitsInput,
): Promise<Page<RepoCommit>[]> {
  const [before] = after === null ? [END_SEQ] : decodeCursor<[number]>('commits', after, [isSeqBelowEnd])
  const ids = repos.map(({ id }) => id)
  const areAll = repos.map((repo) => mayWriteRepo(viewer, { ...repo, ownerId: repo.owner.id }))
  const page = { areAll, before, limit: limit + 1 }
  const rows = byRun
    ? await db.query(runCommitsPage, { ...visibleRuns(viewer), modelIds: ids, ...page })
    : await db.query(commitsPage, { repoIds: ids, ...page })
  const byRepo = Map.groupBy(rows, (row) => row.repoId)
  return repos.map(({ id }) => {
    const found = byRepo.get(id) ?? []
    return {
      nodes: found.slice(0, limit).map((row) => ({ ...row, author: personFor(viewer, row.ownerId, row.author) })),
      hasNextPage: found.length > limit,
      cursorOf: ({ seq }) => encodeCursor('commits', [seq]),
    }
  })
}
