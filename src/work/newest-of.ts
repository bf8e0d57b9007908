/**
 * Pages of jobs as streams in index order, so that a page reads only the rows that it shows, independent of the number
 * of jobs.
 */

import { firstOf } from '../store/statement.ts'

/** A page of 100, and the row that shows whether another page follows. */
export const MAX_ROWS = 101

export interface JobStream {
  readonly table: string
  /**
   * SQL source with one row for each stream, and the alias that `place` names:
   * `unnest(:accountIds::text[]) account(id)`.
   */
  readonly of: string
  /** Columns of an index that ends with `id`, in its order, and the SQL value of each column in a stream. */
  readonly place: Readonly<Record<string, string>>
  /** SQL condition on the job `u`. */
  readonly condition: string
}

/**
 * SQL for the ids of jobs, newest first for each stream, at most `:limit` of each, older than the job `before`. With
 * `owner_id = x order by id`, the planner may choose any index on ids and read and discard the jobs of all other
 * accounts. Instead, the conditions are lists of one value, which the planner does not recognize as constants, and the
 * order has all columns, which only the index of `place` provides.
 */
export function newestOf({ table, of, place, condition }: JobStream, before: string): string {
  const equal = Object.entries(place).map(([name, value]) => `u.${name} = any(array[${value}])`)
  const order = [...Object.keys(place), 'id'].map((name) => `u.${name} desc`)
  const rows = `select u.id from ${table} u
    where ${[...equal, `u.id < ${before}`, condition].join(' and ')} order by ${order.join(', ')}`
  return `select newest.id from ${of} cross join lateral (${firstOf(rows, MAX_ROWS)}) newest`
}
