/** Sums that the database keeps, counted again from what they sum. */
import type { contractHub } from '../support/hub.ts'

/** Each names the rows whose kept number is another than what is found. */
const sums: Readonly<Record<string, string>> = {
  'storage of an account': `select a.handle as id, a.storage_bytes - coalesce((select sum(s.bytes) from storage_spares s where s.owner_id = a.id), 0) as kept,
      coalesce((select sum(r.total_bytes + r.snapshot_bytes + r.film_bytes) from repos r where r.owner_id = a.id), 0)
      + coalesce((select sum(b.size) from rollout_episodes e join blobs b on b.id = e.blob_id
        where e.owner_id = a.id), 0)
      + coalesce((select sum(u.stored_bytes) from runs u where u.owner_id = a.id), 0)
      + coalesce((select sum(c.stored_bytes) from robot_checks c where c.owner_id = a.id), 0) as found from accounts a`,
  'pending uploads of an account': `select a.handle as id, a.pending_uploads as kept, (select count(*) from uploads u
      where u.owner_id = a.id and u.state in ('pending', 'completing', 'assembled')) as found from accounts a`,
  'bytes that are reserved for uploads': `select a.handle as id, a.reserved_bytes as kept, coalesce((select sum(u.size) from uploads u
      where u.owner_id = a.id and u.state in ('pending', 'completing', 'assembled')), 0) as found from accounts a`,
  'files of a repo': `select r.id, r.file_count as kept,
      (select count(*) from files f where f.repo_id = r.id and f.to_seq is null) as found from repos r`,
  'bytes of a repo': `select r.id, r.total_bytes as kept, coalesce((select sum(b.size) from files f join blobs b on b.id = f.blob_id
      where f.repo_id = r.id and f.to_seq is null), 0) as found from repos r`,
  'files of a repo whose digest is verified': `select r.id, r.verified_count as kept, (select count(b.sha256) from files f
      join blobs b on b.id = f.blob_id where f.repo_id = r.id and f.to_seq is null) as found from repos r`,
  'bytes that only snapshots keep': `select r.id, r.snapshot_bytes as kept, coalesce((select sum(size) from (
      select f.path, b.claimed, b.size from repo_snapshots s join files f on f.repo_id = s.repo_id
        and f.from_seq <= s.seq and f.to_seq > s.seq join blobs b on b.id = f.blob_id where s.repo_id = r.id
      except select f.path, b.claimed, b.size from files f join blobs b on b.id = f.blob_id
        where f.repo_id = r.id and f.to_seq is null) d), 0) as found from repos r`,
  'bytes of films': `select r.id, r.film_bytes as kept, coalesce((select sum(f.size) from episode_films f
      where f.repo_id = r.id and f.status = 'succeeded'), 0) as found from repos r`,
  'open sessions of an endpoint': `select e.id, e.sessions_open as kept,
      (select count(*) from endpoint_sessions s where s.endpoint_id = e.id and s.status = 'open') as found from endpoints e`,
}

/** Kept numbers that are wrong; none if every sum is what a recount finds. */
export async function wrongSums({ sql }: Pick<ReturnType<typeof contractHub>, 'sql'>): Promise<unknown[]> {
  const found = await Promise.all(
    Object.entries(sums).map(async ([what, text]) =>
      (await sql<object>(`select * from (${text}) n where kept <> found limit 3`)).map((row) => ({ what, ...row })),
    ),
  )
  return found.flat()
}
