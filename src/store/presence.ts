/**
 * Which hubs are there. Each holds an advisory lock with a number of its own on a connection that it keeps open, and
 * writes the number into its claims: the database releases the lock when the connection closes, so what a killed
 * process has claimed can be taken over at once, without waiting for a lease.
 *
 * A hub that lost the connection and continues looks gone too. Nothing may rest on the number alone: who works on a
 * claim is decided by its fencing token.
 */
import { randomInt } from 'node:crypto'
import type pg from 'pg'

/** First of the two numbers of the locks: "hub2" in ASCII. */
const PRESENCE_LOCKS = 0x68756232
const MOST_INSTANCES = 2 ** 31 - 1

/**
 * Takes a lock with a new number, which a connection that the server still takes for open cannot have, and returns the
 * number.
 */
export async function announce(client: Pick<pg.Client, 'query'>): Promise<number> {
  const instance = randomInt(1, MOST_INSTANCES)
  await client.query('select pg_advisory_lock($1, $2)', [PRESENCE_LOCKS, instance])
  return instance
}

/**
 * SQL: whether the hub with the number in `column` is gone; false for null. Reads the locks of the whole server, so it
 * comes last in a condition.
 */
export const isGone = (column: string): string =>
  `(${column} is not null and not exists (select from pg_locks l where l.locktype = 'advisory' and l.classid = ${PRESENCE_LOCKS} and l.objsubid = 2
      and l.objid = ${column}::oid and l.database = (select d.oid from pg_database d where d.datname = current_database())))`
