/** A database from before the baseline gets the baseline's row, if it is what the baseline would have made. */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import {
  type AppliedMigration,
  appliedBaseline,
  BASELINE,
  baselineCatalogue,
  type HistoryFault,
  historyFault,
  isBeforeBaseline,
} from './baseline.ts'
import { differenceOf, readCatalogue } from './catalogue.ts'

/**
 * A database from before the baseline whose migrations or catalogue are not those that the baseline stands for. It was
 * not changed.
 */
export class NotAdoptedError extends Error {
  constructor(what: string, remedy: string) {
    super(`The database is from before the migration ${BASELINE}, and was left as it is: ${what}. ${remedy}`)
  }
}

const REMEDIES: Readonly<Record<HistoryFault['remedy'], string>> = {
  'older version first': `Start the last version of the hub before ${BASELINE} on it once, then this one.`,
  'version that made it': 'Use the version of the hub that made it.',
}

/**
 * Under the lock of migrations. Adds the baseline's row to a database that has exactly the migrations that the baseline
 * stands for and its catalogue, in one transaction; their rows stay, so that a version from before continues working on
 * it. Returns the name of the baseline if it did, null where there was nothing to do: a new database, or one that has
 * the baseline. Throws `NotAdoptedError`.
 */
export async function adoptBaseline(client: pg.Client): Promise<string | null> {
  await client.query('begin')
  try {
    const adopted = await adoptInTransaction(client)
    await client.query('commit')
    return adopted
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

async function adoptInTransaction(client: pg.Client): Promise<string | null> {
  const history = await readHistory(client)
  if (!isBeforeBaseline(history)) return null
  const unfinished = history.find(({ isFinished }) => !isFinished)
  if (unfinished)
    throw new NotAdoptedError(`its migration ${unfinished.name} did not finish`, REMEDIES['version that made it'])
  const fault = await historyFault(history)
  if (fault !== null) throw new NotAdoptedError(fault.what, REMEDIES[fault.remedy])
  const difference = differenceOf(await baselineCatalogue(), await readCatalogue(client))
  if (difference !== null)
    throw new NotAdoptedError(
      `its schema is not what its migrations made: ${difference}`,
      'Undo what was changed by hand, then start again.',
    )
  const { name, sha256 } = await appliedBaseline()
  // No step of it was applied: as Prisma writes a migration that was resolved as applied.
  await client.query(
    `insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
      values ($1, $2, $3, now(), now(), 0)`,
    [randomUUID(), sha256, name],
  )
  return name
}

interface HistoryRow extends AppliedMigration {
  readonly isFinished: boolean
}

/** Of all migrations that were started and not rolled back; empty without Prisma's table. */
async function readHistory(client: pg.Client): Promise<HistoryRow[]> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('_prisma_migrations') is not null as there`,
  )
  if (!rows[0]?.there) return []
  const history = await client.query<{ name: string; sha256: string; isFinished: boolean }>(
    `select migration_name as name, checksum as sha256, finished_at is not null as "isFinished" from _prisma_migrations
     where rolled_back_at is null order by migration_name`,
  )
  return history.rows
}
