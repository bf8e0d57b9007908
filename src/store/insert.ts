/**
 * Rows that are written: each column with its value beside it. The texts are made where a module is loaded. A column
 * that is missing, unknown, of another type or given null does not compile; of SQL, only PostgreSQL knows the type.
 */
import type { tables } from '../../prisma/generated/tables.ts'
import type { EnumName, EnumValue, StoredColumn } from './sql-types.ts'
import type { Param, ParamSet } from './statement.ts'

type Tables = typeof tables
type TableName = keyof Tables & string
/** A table, or one with an alias: `runs`, `runs as u`. */
type Into = TableName | `${TableName} as ${string}`
type ColumnsOf<T extends Into> = T extends TableName
  ? Tables[T]
  : T extends `${infer Name extends TableName} as ${string}`
    ? Tables[Name]
    : never

/** SQL as a value, with the parameters that it takes besides those of other columns. */
interface Sql<P extends ParamSet = ParamSet> {
  readonly sql: string
  readonly params: P
}

/** The value of each row from a list: the parameter `list`. */
interface Each<P extends ParamSet = ParamSet, Item = unknown, SqlType extends string = string> {
  readonly list: string
  readonly cast: string | null
  readonly params: P
  /** Never set: carry the type of one value, here and of PostgreSQL. */
  readonly item?: Item
  readonly sqlType?: SqlType
}

/** In a change on conflict: the value that the insert gives. */
interface Excluded {
  readonly isExcluded: true
}

type Constant = string | number | boolean | null
/** A value: a parameter with the column's name, SQL, an item of a list, or a constant. */
type Value = Param<unknown> | Sql | Each | Excluded | Constant
type Values = Readonly<Record<string, Value>>

type ConstantOf<Type extends string> = Type extends EnumName
  ? EnumValue<Type>
  : Type extends 'text'
    ? string
    : Type extends 'bool'
      ? boolean
      : Type extends 'int4' | 'int8' | 'float8' | 'numeric'
        ? number
        : never

/** Everything, or everything but null. */
type Held<C extends StoredColumn> = C['isNullable'] extends true ? unknown : NonNullable<unknown>
type NullOf<C extends StoredColumn> = C['isNullable'] extends true ? null : never

type ValueOf<C extends StoredColumn> = Param<Held<C>, C['type']> | Sql | ConstantOf<C['type']> | NullOf<C>
type ItemOf<C extends StoredColumn> = ValueOf<C> | Each<ParamSet, Held<C>, C['type']>

/** The columns that a row needs: never null, and without a default. */
type Needed<C> = {
  [Name in keyof C]: C[Name] extends { isNullable: false; hasDefault: false } ? Name : never
}[keyof C]

type RowOf<C> = { readonly [Name in Needed<C>]: C[Name] extends StoredColumn ? ValueOf<C[Name]> : never } & {
  readonly [Name in keyof C]?: C[Name] extends StoredColumn ? ValueOf<C[Name]> : never
}
type RowsOf<C> = { readonly [Name in Needed<C>]: C[Name] extends StoredColumn ? ItemOf<C[Name]> : never } & {
  readonly [Name in keyof C]?: C[Name] extends StoredColumn ? ItemOf<C[Name]> : never
}
type ChangesOf<C> = { readonly [Name in keyof C]?: C[Name] extends StoredColumn ? ValueOf<C[Name]> | Excluded : never }

/** Without it, type parameters let unknown members pass. */
type Only<V, C> = { readonly [Name in Exclude<keyof V, keyof C>]: never }

type Both<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never
type Flat<T> = { readonly [Name in keyof T]: T[Name] }

/** The parameters among values, and those of their SQL and lists. */
type ParamsOf<V> = Flat<
  { readonly [Name in keyof V as V[Name] extends Param<unknown> ? Name : never]: V[Name] } & Both<
    V[keyof V] extends infer One ? (One extends { readonly params: infer P } ? P : never) : never
  >
>

/** SQL with the parameters that it takes. */
interface Written<P> {
  readonly sql: string
  readonly params: P
}

/**
 * SQL as the value of a column: `sql('now()')`, `sql('now() + make_interval(secs => :ttl)', { ttl: param.float8() })`.
 * It may use the parameters of other columns, which have their names.
 */
export function sql<P extends ParamSet = Record<never, never>>(text: string, params?: P): Sql<P> {
  return { sql: text, params: params ?? ({} as P) }
}

/**
 * The value of each row, from the parameter `list`; SQL names it `given.<column>`. `cast` is the column's type where it
 * is not that of the list's items.
 */
export function each<Name extends string, Item, SqlType extends string, Cast extends string = SqlType>(
  list: Name,
  param: Param<readonly Item[], `${SqlType}[]`>,
  cast?: Cast,
): Each<{ readonly [N in Name]: Param<readonly Item[], `${SqlType}[]`> }, Item, Cast> {
  return { list, cast: cast ?? null, params: { [list]: param } as never }
}

/** The value of `assign` that stands for what the insert gives the column: `excluded.<column>`. */
export const excluded: Excluded = { isExcluded: true }

/** `ownerId` is the column `owner_id`. */
const columnOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The name of an enum has capitals; `text[]` has none. */
const typeName = (sqlType: string) => sqlType.replace(/^\w*[A-Z]\w*/, '"$&"')

function textOf(name: string, value: Value): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  if (typeof value !== 'object' || value === null) return String(value)
  if ('declared' in value) return `:${name}`
  if ('list' in value) return `given.${columnOf(name)}${value.cast === null ? '' : `::${typeName(value.cast)}`}`
  return 'sql' in value ? value.sql : `excluded.${columnOf(name)}`
}

function paramsOf(values: Values): ParamSet {
  const all = Object.entries(values).map(([name, value]): ParamSet => {
    if (typeof value !== 'object' || value === null) return {}
    if ('declared' in value) return { [name]: value }
    return 'params' in value ? value.params : {}
  })
  return Object.assign({}, ...all)
}

const intoText = (table: string, values: Values) =>
  `insert into ${table} (${Object.keys(values).map(columnOf).join(', ')})`
const valueList = (values: Values) =>
  Object.entries(values)
    .map(([name, value]) => textOf(name, value))
    .join(', ')

/** `insertInto` for a table that is not known here: a test compares its columns with the database's. */
export function insertIntoTable(table: string, values: Values): Written<ParamSet> {
  return { sql: `${intoText(table, values)} values (${valueList(values)})`, params: paramsOf(values) }
}

/** `insertSelected` for a table that is not known here: a test compares its columns with the database's. */
export function insertSelectedInto(table: string, values: Values): Written<ParamSet> {
  return { sql: `${intoText(table, values)} select ${valueList(values)}`, params: paramsOf(values) }
}

/**
 * One row: `insertInto('runs', { id: param.text(), status: 'queued', … })` is `insert into runs (id, status, …) values
 * (:id, 'queued', …)`, for a text that may go on with `on conflict` or `returning`.
 */
export function insertInto<T extends Into, const V extends RowOf<ColumnsOf<T>>>(
  table: T,
  values: V & Only<V, ColumnsOf<T>>,
): Written<ParamsOf<V>> {
  return insertIntoTable(table, values) as never
}

/** The rows of a query: `insert into … select …`, for a text that goes on with `from` or `where`. */
export function insertSelected<T extends Into, const V extends RowOf<ColumnsOf<T>>>(
  table: T,
  values: V & Only<V, ColumnsOf<T>>,
): Written<ParamsOf<V>> {
  return insertSelectedInto(table, values) as never
}

/**
 * A row for each item of lists of one length (`each`), which are read as `given`; `given.place` counts them from 1. The
 * text may go on with `order by`, `on conflict` or `returning`.
 */
export function insertEach<T extends Into, const V extends RowsOf<ColumnsOf<T>>>(
  table: T,
  values: V & Only<V, ColumnsOf<T>>,
): Written<ParamsOf<V>> {
  const { sql: text, params } = insertSelectedInto(table, values)
  const lists = Object.entries<Value>(values).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && 'list' in value ? [{ name, list: value.list }] : [],
  )
  const given = lists.map(({ list }) => `:${list}::${typeName(params[list]?.declared.sqlType ?? '')}`).join(', ')
  const names = lists.map(({ name }) => columnOf(name))
  const isCounted = text.includes('given.place')
  const alias = `${isCounted ? 'with ordinality ' : ''}as given (${[...names, ...(isCounted ? ['place'] : [])].join(', ')})`
  return { sql: `${text} from unnest(${given}) ${alias}`, params: params as never }
}

/**
 * Changes of a row: `assign('runs', { status: param.enum('JobStatus'), updatedAt: sql('now()') })` is `status =
 * :status, updated_at = now()`, for the text of an `update` or of an insert's `do update`.
 */
export function assign<T extends TableName, const V extends ChangesOf<ColumnsOf<T>>>(
  _table: T,
  values: V & Only<V, ColumnsOf<T>>,
): Written<ParamsOf<V>> {
  const changes = Object.entries<Value>(values).map(([name, value]) => `${columnOf(name)} = ${textOf(name, value)}`)
  return { sql: changes.join(', '), params: paramsOf(values) as never }
}
