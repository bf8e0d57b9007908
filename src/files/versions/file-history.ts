/**
 * The history of one path: the versions of the repo since which it has other bytes, or none, newest first. It follows
 * the path and no rename. As with `Repo.commits`, anyone who can write the repo is told of every version that is left,
 * others of the current one and those that snapshots name. Contract, "Versions".
 */
import { personFor } from '../../accounts/person-for.ts'
import { readAccount } from '../../auth/account-json.ts'
import { mayWriteRepo } from '../../auth/may-write-repo.ts'
import type { RequestContext } from '../../operation/context.ts'
import { decodeCursor, encodeCursor, type Page } from '../../platform/page.ts'
import { findRepo } from '../../repos/get-repo.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { END_SEQ, isSeqBelowEnd, snapshotNames } from './history.ts'

/** The bytes of the path in a version. */
interface FileBytes {
  readonly size: number
  /** Computed by the hub; null until it has hashed the bytes. */
  readonly sha256: string | null
}

const revisionColumns = columns({
  seq: column.int4('c.seq'),
  commitId: column.text('c.commit_id'),
  message: column.text.orNull('c.message'),
  time: column.timestamptz('c.at'),
  /** Null for background work and for keys without a person. */
  author: column.json.orNull(
    `(select json_build_object('id', a.id, 'kind', a.kind, 'handle', a.handle, 'name', a.name) from accounts a where a.id = c.actor_id)`,
    readAccount,
  ),
  snapshots: snapshotNames,
  /** Null where the version does not have the path. */
  size: column.int8.orNull('b.size'),
  sha256: column.text.orNull('b.sha256'),
})

const params = { repoId: param.text(), path: param.text(), before: param.int4(), limit: param.int8() }

const firstChange = (from: string, to: string) => `(select c.seq from repo_changes c
        where c.repo_id = f.repo_id and c.seq >= ${from} and c.seq < ${to} order by c.seq limit 1)`

const page = (events: string) => `select ${revisionColumns.sql} from (${events}) e
    join repo_changes c on c.repo_id = :repoId and c.seq = e.seq
    left join lateral (select size, sha256 from blobs where id = e.blob_id offset 0) b on true
    order by c.seq desc`

/**
 * Each row of the path yields the version that brought it, and the one that removed it unless another row replaced it.
 * So a page reads as many rows as it has, however many others the path or the repo has: one more for the row that
 * `before` is in.
 */
const allRevisions = statement({
  name: 'file-revisions',
  exact: 'per-parent',
  columns: revisionColumns,
  params,
  text: page(`select e.seq, e.blob_id from (
        select f.repo_id, f.blob_id, f.from_seq as since, coalesce(f.to_seq, ${END_SEQ}) as until from files f
        where f.repo_id = :repoId and f.path = :path and f.from_seq < :before
          and exists ${firstChange('f.from_seq', `coalesce(f.to_seq, ${END_SEQ})`)}
        order by f.from_seq desc limit :limit::int8 + 1) f
      cross join lateral (select ${firstChange('f.since', 'f.until')} as seq, f.blob_id
        union all select ${firstChange(
          'f.until',
          `coalesce((select g.from_seq from files g where g.repo_id = f.repo_id and g.path = :path
            and g.from_seq >= f.until order by g.from_seq limit 1), ${END_SEQ})`,
        )}, null) e
      where e.seq < :before order by e.seq desc limit :limit`),
})

/**
 * One look-up for each version that is listed, of which there are a thousand and one at most. Versions in between count
 * for nothing, not even that they are there.
 */
const listedRevisions = statement({
  name: 'file-revisions-listed',
  exact: 'per-parent',
  columns: revisionColumns,
  params,
  text: page(`select l.seq, l.blob_id from (
        select s.seq, v.blob_id, b.claimed, lag(b.claimed) over (order by s.seq) as before_claimed
        from (select s.seq from repo_snapshots s where s.repo_id = :repoId
          union select r.seq from repos r where r.id = :repoId) s
        left join lateral (select f.blob_id, f.to_seq from files f
          where f.repo_id = :repoId and f.path = :path and f.from_seq <= s.seq order by f.from_seq desc limit 1) v
          on v.to_seq is null or v.to_seq > s.seq
        left join lateral (select claimed from blobs where id = v.blob_id offset 0) b on true) l
      where l.claimed is distinct from l.before_claimed and l.seq < :before order by l.seq desc limit :limit`),
})

/** A version of the repo since which a path is as it is. */
export interface FileRevision extends Omit<RowOf<typeof revisionColumns>, 'size' | 'sha256'> {
  /** Against the entry before it; `added` for the first one that is left. */
  readonly change: 'added' | 'removed' | 'changed'
  /** The commit id of the entry before it. */
  readonly previousCommitId: string | null
  /** Null if it had no such file before. */
  readonly before: FileBytes | null
  /** Null if the file was removed. */
  readonly after: FileBytes | null
}

interface FileHistoryInput {
  readonly owner: string
  readonly repo: string
  readonly path: string
  readonly limit: number
  readonly after: string | null
}

/**
 * fileHistory: empty for a path that no version has. The people of an owner are named to the owner and its members
 * only. Errors: 404 the repo, 422 `validation.cursor`. Two statements.
 */
export async function fileHistory(ctx: RequestContext, input: FileHistoryInput): Promise<Page<FileRevision>> {
  const { viewer } = ctx
  const repo = await findRepo(ctx, { owner: input.owner, slug: input.repo })
  const listing = `file-history:${repo.id}:${input.path}`
  const [before] = input.after === null ? [END_SEQ] : decodeCursor<[number]>(listing, input.after, [isSeqBelowEnd])
  const rows = await ctx.deps.db.query(mayWriteRepo(viewer, repo) ? allRevisions : listedRevisions, {
    repoId: repo.id,
    path: input.path,
    before,
    limit: input.limit + 1,
  })
  return {
    nodes: rows.slice(0, input.limit).map(({ size, sha256, ...row }, index) => {
      const older = rows[index + 1]
      const after = size === null ? null : { size, sha256 }
      const was = older && older.size !== null ? { size: older.size, sha256: older.sha256 } : null
      return {
        ...row,
        author: personFor(viewer, repo.ownerId, row.author),
        change: after === null ? 'removed' : was === null ? 'added' : 'changed',
        previousCommitId: older?.commitId ?? null,
        before: was,
        after,
      }
    }),
    hasNextPage: rows.length > input.limit,
    cursorOf: ({ seq }) => encodeCursor(listing, [seq]),
  }
}
