/** Defines a row's columns once; the select list, the row type and the mapping are derived from them. */

import { JsonText } from '../platform/json-text.ts'
import type { Declared, EnumName, EnumValue } from './sql-types.ts'

/**
 * One column: its SQL, what PostgreSQL has it as, and the type of its parsed value (int8 a number, timestamptz RFC 3339
 * text, numeric text).
 */
export interface Column<T> {
  readonly sql: string
  readonly declared: Declared
  /** Its text is kept, and parsed where it is read. */
  readonly isDocument?: boolean
  /** Makes the value of a column of JSON; null stays null. */
  readonly read?: (json: unknown) => unknown
  /** Never set: only carries the type. */
  readonly type?: T
}

/** Columns of one of PostgreSQL's types. A type argument narrows the values to those that the column holds. */
interface ColumnsOf<Value, Default extends Value = Value> {
  /** A column that is never null. */
  <T extends Value = Default>(sql: string): Column<T>
  /** A column that can be null. */
  orNull<T extends Value = Default>(sql: string): Column<T | null>
}

function columnsOf<Value, Default extends Value = Value>(sqlType: string): ColumnsOf<Value, Default> {
  const make =
    (isNullable: boolean) =>
    (sql: string): Column<never> => ({ sql, declared: { sqlType, isNullable } })
  return Object.assign(make(false), { orNull: make(true) })
}

interface EnumColumns {
  <Name extends EnumName, T extends EnumValue<Name> = EnumValue<Name>>(name: Name, sql: string): Column<T>
  orNull<Name extends EnumName, T extends EnumValue<Name> = EnumValue<Name>>(name: Name, sql: string): Column<T | null>
}

const enumColumn =
  (isNullable: boolean) =>
  (sqlType: EnumName, sql: string): Column<never> => ({ sql, declared: { sqlType, isNullable } })

/**
 * Columns of JSON that clients wrote, kept as text and parsed where someone reads it. A type argument is what its
 * writer guarantees.
 */
interface DocumentColumns {
  <T>(sql: string): Column<JsonText<T>>
  orNull<T>(sql: string): Column<JsonText<T> | null>
}

const documentColumn =
  (isNullable: boolean) =>
  (sql: string): Column<never> => ({
    sql: `(${sql})::text`,
    isDocument: true,
    declared: { sqlType: 'text', isNullable },
  })

/** Columns of JSON that is not a document: `read` checks the value, or names what it is made of. */
interface JsonColumns {
  <T>(sql: string, read: (json: unknown) => T): Column<T>
  orNull<T>(sql: string, read: (json: unknown) => T): Column<T | null>
}

function jsonColumns(sqlType: 'json' | 'jsonb'): JsonColumns {
  const make =
    (isNullable: boolean) =>
    <T>(sql: string, read: (json: unknown) => T): Column<never> => ({ sql, read, declared: { sqlType, isNullable } })
  return Object.assign(make(false), { orNull: make(true) })
}

/** A column by its type: `column.int8('u.size')`, `column.text.orNull('u.error')`, `column.enum('JobStatus', 'u.status')`. */
export const column = {
  text: columnsOf<string>('text'),
  texts: columnsOf<readonly string[]>('text[]'),
  bool: columnsOf<boolean>('bool'),
  int4: columnsOf<number>('int4'),
  int8: columnsOf<number>('int8'),
  float8: columnsOf<number>('float8'),
  numeric: columnsOf<string>('numeric'),
  timestamptz: columnsOf<string>('timestamptz'),
  bytea: columnsOf<Buffer>('bytea'),
  document: Object.assign(documentColumn(false), { orNull: documentColumn(true) }) as DocumentColumns,
  json: jsonColumns('json'),
  jsonb: jsonColumns('jsonb'),
  enum: Object.assign(enumColumn(false), { orNull: enumColumn(true) }) as EnumColumns,
}

type ColumnSet = Readonly<Record<string, Column<unknown>>>

/** The row type of a set of columns. */
type Row<C extends ColumnSet> = { readonly [Name in keyof C]: C[Name] extends Column<infer T> ? T : never }

/** The selected columns of a statement, in a fixed order. */
export interface Columns<R> {
  /** The select list; each column is named like its row member. */
  readonly sql: string
  /** Maps an array of cells, in the order of `sql`, to a row. */
  readonly toRow: (cells: readonly unknown[]) => R
  /** These columns followed by more. */
  with<M extends ColumnSet>(more: M): Columns<R & Row<M>>
  /** The same columns, read by an outer query from the subquery `alias`. */
  from(alias: string): Columns<R>
  /** These columns followed by those of the left-joined subquery `alias`, which are null together. */
  withOptional<M>(alias: string, joined: Columns<M>): Columns<R & { readonly [Name in keyof M]: M[Name] | null }>
  readonly set: ColumnSet
}

export type RowOf<C> = C extends Columns<infer R> ? R : never

/** Names are inserted into SQL and code unescaped. */
const isName = (name: string) => /^[a-z][a-zA-Z0-9]*$/.test(name)

/** Throws at startup if a name is not a plain identifier. */
export function columns<C extends ColumnSet>(set: C): Columns<Row<C>> {
  const names = Object.keys(set)
  const wrong = names.find((name) => !isName(name))
  if (wrong !== undefined) throw new Error(`A column cannot be named ${JSON.stringify(wrong)}.`)
  const self: Columns<Row<C>> = {
    set,
    sql: names.map((name) => `${set[name]?.sql} as "${name}"`).join(', '),
    toRow: mapperOf(set) as (cells: readonly unknown[]) => Row<C>,
    with: (more) => columns({ ...set, ...more }) as Columns<never>,
    from: (alias) => columns(namedBy(alias, set)) as Columns<never>,
    withOptional: (alias, joined) => columns({ ...set, ...optional(namedBy(alias, joined.set)) }) as Columns<never>,
  }
  return self
}

const mapped = (set: ColumnSet, change: (column: Column<unknown>, name: string) => Column<unknown>): ColumnSet =>
  Object.fromEntries(Object.entries(set).map(([name, column]) => [name, change(column, name)]))

const namedBy = (alias: string, set: ColumnSet) =>
  mapped(set, (column, name) => ({ ...column, sql: `${alias}."${name}"` }))

const optional = (set: ColumnSet) =>
  mapped(set, (column) => ({ ...column, declared: { ...column.declared, isNullable: true } }))

/**
 * Compiles one object literal, so that all rows share one hidden class. A loop over the names is three times as slow
 * for a row of 52 columns, and so is the driver's own mapping by name.
 */
function mapperOf(set: ColumnSet): (cells: readonly unknown[]) => unknown {
  const made = Object.entries(set).map(([name, { isDocument, read }], place) => {
    const cell = `cells[${place}]`
    if (isDocument) return `${name}: ${cell} === null ? null : new JsonText(${cell})`
    return `${name}: ${read ? `${cell} === null ? null : read.${name}(${cell})` : cell}`
  })
  const read = Object.fromEntries(Object.entries(set).map(([name, column]) => [name, column.read]))
  const map = new Function('JsonText', 'read', `return (cells) => ({ ${made.join(', ')} })`)
  return map(JsonText, read) as (cells: readonly unknown[]) => unknown
}
