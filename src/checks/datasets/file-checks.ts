/**
 * What the hub does by itself: it asks for a check of each data set that a commit brought a `meta/info.json` to, and
 * fails a check whose workers were lost again and again. Contract, "Checks of data sets".
 */
import type { Deps } from '../../operation/context.ts'
import { DATASET_INFO_PATH } from '../../repos/dataset-info.ts'
import { column, columns } from '../../store/columns.ts'
import { insertSelected, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { endedSql, isLostSql, LOST, waitingTopic } from '../../work/leased-row.ts'
import { checkWork } from './check-rows.ts'
import { SECONDS_BETWEEN } from './limits.ts'

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

/** Data sets that one minute looks at, of all owners with marks in equal parts; the next one goes on. */
const LOOKED_AT = 1000

/**
 * What triggers have marked in the row of facts of a data set: a change of the facts, which a commit with a
 * `meta/info.json` brings, and each commit within 25 hours of it. A mark says when it is to be looked at; one that has
 * been is taken away, unless another commit has moved it meanwhile. A data set that was checked a moment ago is looked
 * at when it may be checked again, and one beyond its owner's daily number when the oldest check that counts is a day
 * old. The oldest marks of an owner come first; an owner with thousands of marks does not delay others.
 *
 * A check that waits is of the newest files when it is taken. It is told of them here because a claim at the same time
 * may have read the repo before they came: then the mark stays. A check that runs is done once more when it ends. The
 * repos are kept from deletion and from another owner meanwhile; a check that another hub or a person asks for at the
 * same time stays as it is. It waits for no mark and no repo that others have locked, since they may wait for another
 * one of its marks: what is skipped keeps its mark.
 */
export const fileMarked = statement({
  name: 'dataset-checks-file',
  columns: filed,
  params: { quota: param.int4() },
  text: `with recursive owners as (
      (select m.check_owner_id as id from dataset_meta m where m.check_due_at is not null
        order by m.check_owner_id limit 1)
      union all select (select m.check_owner_id from dataset_meta m
          where m.check_due_at is not null and m.check_owner_id > o.id order by m.check_owner_id limit 1)
        from owners o where o.id is not null),
    parties as materialized (
      select o.id from owners o cross join lateral (select m.check_due_at as at from dataset_meta m
        where m.check_owner_id = o.id and m.check_due_at <= now() order by m.check_due_at limit 1) f
      order by f.at limit ${LOOKED_AT}),
    looked as materialized (
      select l.* from parties p cross join lateral (
        select m.repo_id, m.check_due_at, m.updated_at from dataset_meta m
        where m.check_owner_id = p.id and m.check_due_at <= now()
        order by m.check_due_at limit (select ${LOOKED_AT} / count(*) from parties) for update of m skip locked) l),
    seen as (
      select r.id, r.seq, r.owner_id, r.updated_at, l.check_due_at, d.status = 'queued' as waits,
        d.seq as checked, d.requested_at + ${BETWEEN} as next_at,
        r.kind = 'dataset' and l.updated_at > now() - interval '25 hours'
          and (d.repo_id is null or r.seq > d.seq and not d.again and d.status <> 'queued')
          and exists (select 1 from files f where f.repo_id = any(array[r.id]) and f.path = '${DATASET_INFO_PATH}'
            and f.to_seq is null) as changed
      from looked l join repos r on r.id = any(array[l.repo_id])
        left join lateral (select * from dataset_checks c where c.repo_id = l.repo_id offset 0) d on true
      for key share of r skip locked),
    told as (update dataset_checks d set seq = s.seq from seen s
      where s.waits and d.repo_id = any(array[s.id]) and d.status = 'queued' and d.seq < s.seq
      returning d.repo_id),
    used as (
      select d.owner_id, sum(d.counted) as checks,
        min(d.counted_since) filter (where d.counted > 0) + interval '24 hours' as frees_at from dataset_checks d
      where d.owner_id = any(array(select owner_id from seen where changed))
        and d.counted_since > now() - interval '24 hours'
      group by d.owner_id),
    due as (
      select c.*, coalesce(u.frees_at, now() + interval '24 hours') as frees_at,
        coalesce(u.checks, 0) + row_number() over (partition by c.owner_id order by c.updated_at, c.id)
        <= :quota::int as allowed
      from seen c left join used u on u.owner_id = c.owner_id where c.changed and coalesce(c.next_at <= now(), true)),
    settled as (update dataset_meta m set check_due_at = case when s.changed and s.next_at > now() then s.next_at
          else (select greatest(u.frees_at, now() + ${BETWEEN}) from due u where u.id = s.id and not u.allowed) end
      from seen s where m.repo_id = any(array[s.id]) and m.check_due_at = s.check_due_at
        and (s.waits is not true or s.checked >= s.seq or s.id = any(array(select repo_id from told)))),
    filed as (${row.sql} from due where due.allowed
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
    select ${filed.sql} from (select f.repo_id, r.owner_id from filed f join repos r on r.id = any(array[f.repo_id])) hinted`,
})

const failLost = statement({
  name: 'dataset-checks-fail-lost',
  columns: filed,
  params: {},
  text: `with lost as (
      update dataset_checks d set status = case when d.again then 'queued' else 'failed' end::"JobStatus",
        again = false, ${endedSql}, error = '${LOST}'
      where ${isLostSql('d')} returning d.repo_id)
    select ${filed.sql} from (
      select l.repo_id, (select r.owner_id from repos r where r.id = l.repo_id) as owner_id from lost l) told`,
})

/** Any number that is this minute's alone on this database. */
const MINUTE_LOCK = 7_113_021_403

const minuteColumn = columns({ isOurs: column.bool(`pg_try_advisory_xact_lock(${MINUTE_LOCK})`) })
const takeMinute = statement({
  name: 'dataset-checks-minute',
  exact: 'in-transaction',
  columns: minuteColumn,
  text: `select ${minuteColumn.sql}`,
})

/**
 * Files what is due, one hub at a time: two hubs would each take other marks of an owner, not see what the other one
 * starts, and exceed the owner's daily number together. A hub without the lock leaves this minute to the other one. The
 * lock has a statement of its own before: the count needs a snapshot that is taken after it.
 */
export async function fileDue(
  db: Pick<Deps['db'], 'withTx'>,
  quota: number,
): Promise<readonly { readonly repoId: string; readonly ownerId: string }[]> {
  return db.withTx(async (tx) => {
    const [minute] = await tx.query(takeMinute)
    return minute?.isOurs ? tx.query(fileMarked, { quota }) : []
  })
}

/** Idempotent: of several hubs at the same time, one files each check. */
export async function fileDatasetChecks({ config, db, events }: Pick<Deps, 'config' | 'db' | 'events'>): Promise<void> {
  const { dailyDatasetChecks: quota } = config
  const changed = [...(await db.query(failLost, {})), ...(quota > 0 ? await fileDue(db, quota) : [])]
  for (const { repoId, ownerId } of changed) {
    events.hint(waitingTopic(checkWork, ownerId))
    events.hint(repoId)
  }
}
