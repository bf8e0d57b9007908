/**
 * What the hub does by itself: it asks for a check of each data set that a commit brought a `meta/info.json` to, and
 * fails a check whose workers were lost again and again. Contract, "Checks of data sets".
 */
import type { Deps } from '../../operation/context.ts'
import { DATASET_INFO_PATH } from '../../repos/dataset-info.ts'
import { column, columns } from '../../store/columns.ts'
import { insertSelected, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { waitingTopic } from './check-rows.ts'
import { MAX_LOST, SECONDS_BETWEEN } from './limits.ts'

const filed = columns({ repoId: column.text('repo_id'), ownerId: column.text('owner_id') })

const row = insertSelected('dataset_checks', {
  repoId: sql('due.id'),
  ownerId: sql('due.owner_id'),
  status: 'queued',
  cause: 'commit',
  seq: sql('due.seq'),
  countedSince: sql('now()'),
  counted: 1,
})

const BETWEEN = `interval '${SECONDS_BETWEEN} seconds'`

/**
 * A commit that brings a `meta/info.json` dates the facts of the data set, of which there is one small row for each:
 * the commit itself pays nothing. Of an owner, the oldest ones until its number for a day is reached; the others wait
 * for the next day. A check that runs is done once more when it ends. The repos are kept from deletion and from another
 * owner meanwhile; a check that another hub or a person asks for at the same time stays as it is.
 */
const file = statement({
  name: 'dataset-checks-file',
  columns: filed,
  params: { quota: param.int4() },
  text: `with changed as (
      select r.id, r.seq, r.owner_id, r.updated_at from dataset_meta m join repos r on r.id = any(array[m.repo_id])
        left join dataset_checks d on d.repo_id = r.id
      where m.updated_at > now() - interval '25 hours' and r.kind = 'dataset' and (d.repo_id is null
          or r.seq > d.seq and not d.again and d.status <> 'queued' and d.requested_at <= now() - ${BETWEEN})
        and exists (select 1 from files f where f.repo_id = r.id and f.path = '${DATASET_INFO_PATH}'
          and f.to_seq is null) order by r.id for key share of r),
    used as (
      select d.owner_id, sum(d.counted) as checks from dataset_checks d
      where d.owner_id = any(array(select owner_id from changed)) and d.counted_since > now() - interval '24 hours'
      group by d.owner_id),
    due as (
      select c.*, coalesce(u.checks, 0) + row_number() over (partition by c.owner_id order by c.updated_at, c.id) as nth
      from changed c left join used u on u.owner_id = c.owner_id),
    filed as (${row.sql} from due where due.nth <= :quota::int
      on conflict (repo_id) do update set
        again = dataset_checks.status = 'running',
        status = case when dataset_checks.status = 'running' then 'running' else 'queued' end::"JobStatus",
        seq = case when dataset_checks.status = 'running' then dataset_checks.seq else excluded.seq end,
        cause = case when dataset_checks.status = 'running' then dataset_checks.cause else 'commit' end,
        requested_by = case when dataset_checks.status = 'running' then dataset_checks.requested_by end,
        requested_at = now(), lost = case when dataset_checks.status = 'running' then dataset_checks.lost else 0 end,
        error = null,
        counted = case when dataset_checks.counted_since > now() - interval '24 hours' then dataset_checks.counted + 1
          else 1 end,
        counted_since = case when dataset_checks.counted_since > now() - interval '24 hours'
          then dataset_checks.counted_since else now() end
        where dataset_checks.seq < excluded.seq and not dataset_checks.again and dataset_checks.status <> 'queued'
      returning dataset_checks.repo_id)
    select ${filed.sql} from (select f.repo_id, r.owner_id from filed f join repos r on r.id = any(array[f.repo_id])) told`,
})

const failLost = statement({
  name: 'dataset-checks-fail-lost',
  columns: filed,
  params: {},
  text: `with lost as (
      update dataset_checks d set status = case when d.again then 'queued' else 'failed' end::"JobStatus",
        again = false, lost = 0, claim_credential = null, lease_expires_at = null, finished_at = now(),
        error = 'Its workers stopped without a report, ${MAX_LOST} times.'
      where d.status = 'running' and d.lease_expires_at <= now() and d.lost + 1 >= ${MAX_LOST} returning d.repo_id)
    select ${filed.sql} from (
      select l.repo_id, (select r.owner_id from repos r where r.id = l.repo_id) as owner_id from lost l) told`,
})

/** Idempotent, in two statements: of several hubs at the same time, one files each check. */
export async function fileDatasetChecks({ config, db, events }: Pick<Deps, 'config' | 'db' | 'events'>): Promise<void> {
  const { dailyDatasetChecks: quota } = config
  const changed = [...(await db.query(failLost, {})), ...(quota > 0 ? await db.query(file, { quota }) : [])]
  for (const { repoId, ownerId } of changed) {
    events.hint(waitingTopic(ownerId))
    events.hint(repoId)
  }
}
