/**
 * While a backup copies objects, nothing deletes any: the backup holds an advisory lock, which every deletion of an
 * object that rows once named looks at.
 *
 * The look comes after the commit that unnamed the object, and the backup takes its snapshot after the lock. So a
 * deletion that found no backup removes only what the snapshot of a later one does not name.
 */
import type pg from 'pg'
import { column, columns } from './columns.ts'
import type { Db } from './db.ts'
import { statement } from './statement.ts'

/** Any number that is the backup's alone on this database. */
const DELETION_HOLD = 7_113_021_402

const freeColumn = columns({ free: column.bool(`pg_try_advisory_xact_lock_shared(${DELETION_HOLD})`) })

const look = statement({
  name: 'deletion-hold',
  columns: freeColumn,
  // pg_try_advisory_xact_lock_shared holds it for this statement alone: two that look at once do not see each other.
  text: `select ${freeColumn.sql}`,
})

/** Whether a backup is copying objects. What is not deleted then is left for a later collection. */
export async function areDeletionsHeld(db: Pick<Db, 'query'>): Promise<boolean> {
  const [row] = await db.query(look)
  return row?.free !== true
}

/** Holds deletions until the connection ends, however its process ends. False if another backup holds them already. */
export async function holdDeletions(client: pg.Client): Promise<boolean> {
  // A look takes no time, so a lock that is still held after these seconds is a backup's.
  await client.query(`set lock_timeout = '5s'`)
  try {
    await client.query(`select pg_advisory_lock(${DELETION_HOLD})`)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '55P03') return false
    throw error
  } finally {
    await client.query('set lock_timeout = 0')
  }
}
