/**
 * What the hub does by itself: it fails films whose workers were lost again and again, those whose files changed
 * while they waited, and those that no worker took, for example because their robot was hidden.
 */
import type { Deps } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { abortAfterCommit } from '../work/job-objects.ts'
import { endedSql, isLostSql, LOST } from '../work/leased-row.ts'
import { isAsItWasSql, withoutBytes } from './film-rows.ts'
import { WAITS_SECONDS } from './limits.ts'

const settledColumns = columns({
  repoId: column.text('f.repo_id'),
  /** What its worker had announced. */
  storageKey: column.text.orNull('due.storage_key'),
  storeUploadId: column.text.orNull('due.store_upload_id'),
})

/** Open films are few: an account has 50 at most. */
const settle = statement({
  name: 'episode-films-settle',
  columns: settledColumns,
  params: { most: param.int8() },
  text: `with due as (
      select e.id, e.storage_key, e.store_upload_id, case when not ${isAsItWasSql('e', 'r', 'b')}
          then 'The files of the data set or the robot changed before a worker made it: ask again.'
        when ${isLostSql('e')} then '${LOST}'
        else 'No worker made it within a day. Start one where there is a Chromium (hub check-worker --only films), or '
          || 'show the robot to it, and ask again.' end as error
      from episode_films e join repos r on r.id = e.repo_id left join repos b on b.id = e.robot_repo_id
      where e.status in ('queued', 'running') and (
        ${isLostSql('e')}
        or (e.status = 'queued' or e.lease_expires_at <= now())
          and (not ${isAsItWasSql('e', 'r', 'b')}
            or e.requested_at < now() - interval '${WAITS_SECONDS} seconds'))
      order by e.id limit :most for update of e skip locked)
    update episode_films f set status = 'failed', ${endedSql}, error = due.error, ${withoutBytes('true')}
    from due where f.id = due.id returning ${settledColumns.sql}`,
})

/** In one statement; the next pass goes on where there are more. */
const MOST = 1000

/**
 * How many were settled; the bytes that were sent for them go. Idempotent: of several hubs at the same time, one
 * settles each film.
 */
export function settleFilms(deps: Pick<Deps, 'db' | 'events' | 'log' | 'objects'>): Promise<number> {
  return deps.db.withTx(async (tx) => {
    const settled = await tx.query(settle, { most: MOST })
    abortAfterCommit(deps, tx, settled)
    tx.afterCommit(() => {
      for (const { repoId } of settled) deps.events.hint(repoId)
    })
    return settled.length
  })
}
