/** Parsers for PostgreSQL's text format, directly into JSON values. */

import { parseExact } from '@hub/formats/exact-json'
import pg from 'pg'

const { builtins } = pg.types

/** Counts and bytes stay under 2^53 by CHECK and quota; anything larger is a fault that must not be rounded away. */
function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`The database contains ${text}, which is not a safe integer.`)
  return value
}

/** `2026-01-31 09:30:00.12+00` (the connection's time zone is UTC) to `2026-01-31T09:30:00.120Z`. */
export function parseTimestamp(text: string): string {
  if (!text.endsWith('+00') || text.length < 22) return new Date(text).toISOString()
  const fraction = text.length > 22 ? text.slice(20, -3) : ''
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`
}

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [builtins.INT8]: parseInt8,
  [builtins.TIMESTAMPTZ]: parseTimestamp,
  [builtins.NUMERIC]: (text) => text,
  // Columns of clients' own JSON; JSONB has the hub's, and PostgreSQL has rewritten its numbers.
  [builtins.JSON]: parseExact,
}

export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers[oid]) ||
    pg.types.getTypeParser(oid, format as 'text')) as pg.CustomTypesConfig['getTypeParser'],
}
