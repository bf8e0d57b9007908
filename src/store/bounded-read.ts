/**
 * Reads of several rows by id that stay small: a row may hold megabytes that clients wrote, and a hundred ids may be
 * asked for.
 */
import { HubError } from '../platform/errors.ts'
import { column } from './columns.ts'

/** What one statement reads of such rows, but one row at least: four pages. */
const MAX_READ_BYTES = 16 * 1024 * 1024

/** What a statement with `smallEnough` selects besides. */
export const isLeftOut = { isLeftOut: column.bool(`coalesce(sized.before, 0) >= ${MAX_READ_BYTES}`) }

/**
 * SQL for the rows of `tables` under a condition, each with the `bytes` of those before it: join it as `sized` by id.
 */
export const sizedRows = (id: string, bytes: string, tables: string, condition: string): string =>
  `(select ${id} as id, ${bytesBefore(bytes, id)} from ${tables} where ${condition})`

/** SQL for a document that is not read where the rows before it are enough. */
export const unlessLeftOut = (sql: string): string =>
  `case when coalesce(sized.before, 0) < ${MAX_READ_BYTES} then ${sql} end`

/** The same where rows have an order of their own: `before` of a row of a subquery that is named `sized`. */
export const bytesBefore = (bytes: string, order: string): string =>
  `sum(${bytes}) over (order by ${order} rows between unbounded preceding and 1 preceding) as before`

/** Throws 413 if rows were left out. */
export function assertAllRead(rows: readonly { readonly isLeftOut: boolean }[], what: string): void {
  if (rows.some((row) => row.isLeftOut)) throw tooLargeTogether(what)
}

/** The 413 of what was left out. */
export const tooLargeTogether = (what: string): HubError =>
  new HubError('too_large', `These ${what} are too large in total: request fewer at a time.`, {
    facts: { unit: 'bytes', limit: MAX_READ_BYTES, used: null },
  })
