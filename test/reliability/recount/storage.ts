/** What counts in storage quotas, against the rows that it is the sum of; and the background jobs, of which none may be stuck. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Lab } from '../lab/lab.ts'
import type { Journals } from '../load/load.ts'
import type { Findings } from './findings.ts'

interface Sums {
  readonly stored: number
  readonly repos: number
  readonly live: number
  readonly jobs: number
  readonly logs: number
  readonly chunks: number
  readonly reserved: number
  readonly uploads: number
  readonly pending: number
  readonly pendingRows: number
}

const sums = `select
  ((select sum(storage_bytes) from accounts) - (select coalesce(sum(bytes), 0) from storage_spares))::float8 as stored,
  ((select coalesce(sum(total_bytes + snapshot_bytes + film_bytes), 0) from repos)
    + (select coalesce(sum(b.size), 0) from rollout_episodes e join blobs b on b.id = e.blob_id))::float8 as repos,
  (select coalesce(sum(total_bytes), 0) from repos)::float8 - (select coalesce(sum(b.size), 0) from files f join blobs b on b.id = f.blob_id where f.to_seq is null)::float8 as live,
  ((select coalesce(sum(stored_bytes), 0) from runs) + (select coalesce(sum(stored_bytes), 0) from robot_checks))::float8 as jobs,
  (select coalesce(sum(byte_count), 0) from run_log_chunks)::float8 as chunks,
  (select sum(reserved_bytes) from accounts)::float8 as reserved,
  (select coalesce(sum(size), 0) from uploads where state in ('pending', 'completing', 'assembled'))::float8 as uploads,
  (select sum(pending_uploads) from accounts)::float8 as pending,
  (select count(*) from uploads where state in ('pending', 'completing', 'assembled'))::float8 as "pendingRows"`

export async function recountStorage({ db }: Lab, journals: Journals, findings: Findings): Promise<void> {
  const [row] = await db.query<Sums>({ name: '', text: sums })
  if (!row) throw new Error('No sums were read.')
  findings.compare('bytes of the quota', row.stored, row.repos + row.jobs)
  findings.compare('bytes of live files', row.live, 0)
  findings.compare('bytes that are reserved for uploads', row.reserved, row.uploads)
  findings.compare('uploads that are pending', row.pending, row.pendingRows)
  const files = [...journals.repos].reduce((sum, { files }) => sum + files.size, 0)
  findings.count('live files', files)
}

const JOBS_MS = 90_000
const unfinished = `select name, state::text, count(*)::int as n from pgboss.job
  where (state in ('created', 'retry', 'active') and start_after <= now() or state = 'failed' and retry_limit > 0) and name not like '\\_\\_%'
  and (name <> 'failed' or (select q.retry_limit > 0 from pgboss.queue q where q.name = job.source_name)) group by 1, 2`

/** Background jobs end within a minute and a half of the recovery; one that failed for good is lost. What a clock starts has no retries: its next time does all. */
export async function recountBackground({ db }: Lab, findings: Findings): Promise<void> {
  for (const until = performance.now() + JOBS_MS; ; await delay(500)) {
    const left = await db.query<{ name: string; state: string; n: number }>({ name: '', text: unfinished })
    if (left.length === 0) return
    if (performance.now() < until) continue
    for (const { name, state, n } of left) findings.lost.push(`${n} background jobs ${name} are ${state}`)
    return
  }
}
