/** Collects the objects of jobs that no row names. */
import { CHECK_PREFIX, checkObjects } from '../checks/log/check-objects.ts'
import { FILM_PREFIX, filmObjects } from '../films/film-objects.ts'
import type { Deps } from '../operation/context.ts'
import { AVATAR_PREFIX, avatarObjects } from '../profiles/avatar-objects.ts'
import { RUN_PREFIX, runObjectMadeAtMs } from '../runs/log/run-objects.ts'
import { column, columns } from '../store/columns.ts'
import { areDeletionsHeld } from '../store/deletion-hold.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { param, statement } from '../store/statement.ts'
import { collectObjects, type JobObjects } from '../work/collect-objects.ts'
import { madeAtMs } from '../work/job-objects.ts'

const keyColumn = columns({ key: column.text('storage_key') })
const params = { jobIds: param.texts(), keys: param.texts() }

/** Those of the keys that belong to runs which are there. */
export const namedByRuns = statement({
  name: 'run-objects-named',
  exact: 'aggregate',
  columns: keyColumn,
  params,
  text: `select ${keyColumn.sql} from run_log_chunks where run_id = any(:jobIds::text[])
    and storage_key = any(:keys::text[])
    union all select config_key from runs where id = any(:jobIds::text[]) and config_key is not null
    union all select scorecard_key from runs where id = any(:jobIds::text[]) and scorecard_key is not null
    union all select storage_key from metric_archives where run_id = any(:jobIds::text[]) and storage_key is not null
    union all select 'runs/' || id || '/metrics.jsonl' from runs where id = any(:jobIds::text[])`,
})

const namedByChecks = statement({
  name: 'robot-check-objects-named',
  exact: 'aggregate',
  columns: keyColumn,
  params,
  text: `select ${keyColumn.sql} from robot_check_log_chunks where check_id = any(:jobIds::text[])
    and storage_key = any(:keys::text[])
    union all select storage_key from robot_check_artifacts where check_id = any(:jobIds::text[])
      and storage_key = any(:keys::text[])`,
})

const avatarColumn = columns({ key: column.text("coalesce(avatar_key, '')") })

const namedByAccounts = statement({
  name: 'avatars-named',
  exact: 'aggregate',
  columns: avatarColumn,
  params,
  text: `select ${avatarColumn.sql} from accounts where id = any(:jobIds::text[]) and avatar_key = any(:keys::text[])`,
})

const filmColumn = columns({ key: column.text("coalesce(storage_key, '')") })

const namedByFilms = statement({
  name: 'episode-film-objects-named',
  exact: 'aggregate',
  columns: filmColumn,
  params,
  text: `select ${filmColumn.sql} from episode_films where id = any(:jobIds::text[]) and storage_key = any(:keys::text[])`,
})

const collector =
  ({ named, ...kind }: Omit<JobObjects, 'namedOf' | 'isHeld'> & { readonly named: typeof namedByRuns }) =>
  ({ db }: Pick<Deps, 'db'>, objects: ObjectStore, signal: AbortSignal, youngMs?: number): Promise<void> => {
    const namedOf = async (jobIds: readonly string[], keys: readonly string[]) =>
      (await db.query(named, { jobIds, keys })).map(({ key }) => key)
    return collectObjects(objects, { ...kind, namedOf, isHeld: () => areDeletionsHeld(db) }, signal, youngMs)
  }

/**
 * Deletes the objects of runs that no row names and that are older than an hour. Objects with keys of another form are
 * left alone.
 */
export const collectRunObjects = collector({ prefix: RUN_PREFIX, madeAtMs: runObjectMadeAtMs, named: namedByRuns })

/**
 * The same for checks: logs whose report was not stored, and artifacts that were replaced or that no report had named
 * by the end of the check.
 */
export const collectCheckObjects = collector({
  prefix: CHECK_PREFIX,
  madeAtMs: (key) => madeAtMs(Object.values(checkObjects), key),
  named: namedByChecks,
})

/** The same for pictures of accounts: those that were replaced, and those of a request that failed. */
export const collectAvatars = collector({
  prefix: AVATAR_PREFIX,
  madeAtMs: (key) => madeAtMs(Object.values(avatarObjects), key),
  named: namedByAccounts,
})

/** The same for films of episodes: those whose data set is gone, and what an attempt that was lost has sent. */
export const collectFilms = collector({
  prefix: FILM_PREFIX,
  madeAtMs: (key) => madeAtMs(Object.values(filmObjects), key),
  named: namedByFilms,
})
