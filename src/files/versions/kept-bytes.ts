/**
 * Bytes that only snapshots keep. They count in the owner's storage, so that a snapshot followed by a deletion frees no
 * quota. The unit is a path with its bytes: it counts once, however many snapshots and states keep it, and not at all
 * while the live path has the same bytes.
 */
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'

const sameBytes = (blob: string) => `${blob}.claimed = b.claimed and ${blob}.size = b.size`

/** Whether the live file at the path of `f` has the bytes of `b`. */
const stillLive = (repoId = ':repoId') => `exists (select 1 from files l join blobs lb on lb.id = l.blob_id
    where l.repo_id = ${repoId} and l.path = f.path and l.to_seq is null and ${sameBytes('lb')})`

/** The sum, of the paths in `scope`; `repoId` is SQL for the id of the repo. */
export const keptSum = (scope = '', repoId = ':repoId') => `(select coalesce(sum(k.size), 0)::int8 from (
    select distinct f.path, b.claimed, b.size from files f join blobs b on b.id = f.blob_id
    where f.repo_id = ${repoId} and ${scope} f.to_seq is not null and not ${stillLive(repoId)}
      and exists (select 1 from repo_snapshots s where s.repo_id = ${repoId} and s.seq >= f.from_seq
      and s.seq < f.to_seq)) k)`

/** Hashed; a list as a parameter would be compared item by item with the path of each file that was replaced. */
const ofPaths = 'f.path in (select unnest(:paths::text[])) and'

const bytesColumn = columns({ bytes: column.int8(keptSum(ofPaths)) })

const keptAt = statement({
  name: 'files-kept-bytes',
  exact: 'in-transaction',
  columns: bytesColumn,
  params: { repoId: param.text(), paths: param.texts() },
  text: `select ${bytesColumn.sql}`,
})

/**
 * The bytes of these paths that only snapshots keep. Read them before the paths change, under the lock of the repo; 0
 * if the repo has no snapshot.
 */
export async function keptBytes(tx: Querier, repo: KeptRepo, paths: readonly string[]): Promise<number> {
  if (repo.snapshotCount === 0) return 0
  const [row] = await tx.query(keptAt, { repoId: repo.id, paths })
  return row?.bytes ?? 0
}

/** A repo that the caller has locked. */
export interface KeptRepo {
  readonly id: string
  readonly snapshotCount: number
}

const settle = statement({
  name: 'files-settle-kept',
  params: { repoId: param.text(), paths: param.texts(), before: param.int8() },
  text: `with now_kept as materialized (select ${keptSum(ofPaths)} - :before::bigint as bytes),
      repo as (update repos r set snapshot_bytes = r.snapshot_bytes + k.bytes from now_kept k where r.id = :repoId
        returning r.owner_id, k.bytes)
    update accounts a set storage_bytes = a.storage_bytes + repo.bytes from repo where a.id = repo.owner_id
      and repo.bytes <> 0`,
})

/**
 * Counts the kept bytes of these paths after they changed; `before` is what `keptBytes` returned. The caller holds the
 * locks of the repo and of its owner.
 */
export async function settleKept(tx: Querier, repo: KeptRepo, paths: readonly string[], before: number): Promise<void> {
  if (repo.snapshotCount > 0) await tx.query(settle, { repoId: repo.id, paths, before })
}

const repoColumn = columns({ bytes: column.int8(keptSum()) })

const keptOfRepo = statement({
  name: 'repo-kept-bytes',
  exact: 'in-transaction',
  columns: repoColumn,
  params: { repoId: param.text() },
  text: `select ${repoColumn.sql}`,
})

/**
 * The bytes of a whole repo that only snapshots keep, for a change of any number of paths. The cost grows with what the
 * snapshots keep.
 */
export async function keptInRepo(tx: Querier, repo: KeptRepo): Promise<number> {
  if (repo.snapshotCount === 0) return 0
  const [row] = await tx.query(keptOfRepo, { repoId: repo.id })
  return row?.bytes ?? 0
}

const addKept = statement({
  name: 'repo-add-kept-bytes',
  params: { repoId: param.text(), bytes: param.int8() },
  text: 'update repos set snapshot_bytes = snapshot_bytes + :bytes::bigint where id = :repoId',
})

/**
 * Updates the repo's count of kept bytes. Returns the increase since `before`, which the caller counts in the owner's
 * storage.
 */
export async function settleKeptInRepo(tx: Querier, repo: KeptRepo, before: number): Promise<number> {
  const bytes = (await keptInRepo(tx, repo)) - before
  if (bytes !== 0) await countKeptBytes(tx, repo.id, bytes)
  return bytes
}

/** Adds bytes to the repo's count of kept bytes, without counting them in the owner's storage. */
export async function countKeptBytes(tx: Querier, repoId: string, bytes: number): Promise<void> {
  await tx.query(addKept, { repoId, bytes })
}

const soleColumn = columns({ bytes: column.int8('coalesce(sum(b.size), 0)::int8') })

const soleAt = statement({
  name: 'repo-snapshot-bytes',
  exact: 'in-transaction',
  columns: soleColumn,
  params: { repoId: param.text(), seq: param.int4(), snapshotId: param.text() },
  text: `select ${soleColumn.sql} from files f join blobs b on b.id = f.blob_id
    where f.repo_id = :repoId and f.to_seq > :seq and f.from_seq <= :seq and not ${stillLive()}
      and not exists (select 1 from files o join blobs ob on ob.id = o.blob_id
        where o.repo_id = :repoId and o.path = f.path and o.to_seq is not null and ${sameBytes('ob')}
          and exists (select 1 from repo_snapshots s
            where s.repo_id = :repoId and s.id <> :snapshotId and s.seq >= o.from_seq and s.seq < o.to_seq))`,
})

/**
 * The bytes that only this snapshot keeps. The cost grows with the files that were replaced since, not with the size of
 * the repo.
 */
export async function soleBytes(
  tx: Querier,
  snapshot: { readonly id: string; readonly repoId: string; readonly seq: number },
): Promise<number> {
  const [row] = await tx.query(soleAt, { repoId: snapshot.repoId, seq: snapshot.seq, snapshotId: snapshot.id })
  return row?.bytes ?? 0
}
