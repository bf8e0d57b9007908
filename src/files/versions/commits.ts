/**
 * The commits of a repo: its states as other clients list them, newest first, each with its commit id. Those
 * who may write the repo get every state that is left, others the current one and those that snapshots name. Contract,
 * "Versions".
 */

import { personFor } from '../../accounts/person-for.ts'
import { readAccount } from '../../auth/account-json.ts'
import { mayWriteRepo } from '../../auth/may-write-repo.ts'
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
/** All, or the last one of each run. */
const wanted = `(not :byRun or (c.run_id is not null and not exists (select 1 from repo_changes n
              where n.repo_id = c.repo_id and n.run_id = c.run_id and n.seq > c.seq)))`
const newest = 'order by c.seq desc limit :limit'

/**
 * Each branch reads at most a page by the primary key; the middle one also the names of the repo, of which there are at
 * most a thousand. Of the last versions of runs it reads the changes that runs made.
 */
const commitsPage = statement({
  name: 'repo-commits',
  exact: 'per-parent',
  columns: commitColumns,
  params: {
    ...{ repoIds: param.texts(), areAll: param.bools(), before: param.int4() },
    ...{ byRun: param.bool(), limit: param.int8() },
  },
  text: `select ${commitColumns.sql} from unnest(:repoIds::text[], :areAll::bool[]) as q(repo_id, is_all)
    join repos r on r.id = q.repo_id
    cross join lateral (select * from (
        (select ${fields} from repo_changes c where q.is_all and c.repo_id = r.id and c.seq < :before
            and ${wanted} ${newest})
        union all (select ${fields}
          from (select s.seq from repo_snapshots s where s.repo_id = r.id union select r.seq) named
          join repo_changes c on c.repo_id = r.id and c.seq = named.seq
          where not q.is_all and c.seq < :before and ${wanted} ${newest})
        union all select 0, r.id, r.empty_commit_id, null, r.created_at, null, null
          where :before > 0 and not :byRun and (q.is_all or r.seq = 0
            or exists (select 1 from repo_snapshots s where s.repo_id = r.id and s.seq = 0))) listed
      order by seq desc limit :limit) c
    order by r.id, c.seq desc`,
})

export interface CommitsInput {
  /** Only the last version of each run. */
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
  const rows = await db.query(commitsPage, {
    repoIds: repos.map(({ id }) => id),
    areAll: repos.map((repo) => mayWriteRepo(viewer, { ...repo, ownerId: repo.owner.id })),
    before,
    byRun,
    limit: limit + 1,
  })
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
