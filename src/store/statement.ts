/** SQL statements: name, constant text, row type and parameters. */
import { Signal } from '../platform/signals.ts'
import type { Columns } from './columns.ts'
import type { ExactReason } from './exact-reads.ts'
import type { Declared, EnumName, EnumValue } from './sql-types.ts'
import { type WritingStatement, writesOf } from './write-budget.ts'

/**
 * One SQL statement, its values in the order of `$1`, `$2`, …. A name prepares it once per connection (an empty one
 * does not: for texts with too many shapes to keep). `T` is the row as the hub's type parsers return it: int8 a number,
 * timestamptz RFC 3339 text, numeric text, json parsed with its numbers as they are written.
 */
export interface Statement<T> extends WritingStatement {
  readonly text: string
  /** Maps cells to the row. Without it, members are named like the columns in the text. */
  readonly toRow?: (cells: readonly unknown[]) => T
  readonly names?: undefined
  /** Of a read: why it is exact SQL. Only told. */
  readonly exact?: ExactReason
  /** Never set: only carries the row type. */
  readonly row?: T
}

/** A statement whose values are given by name: `P` has a member for each. */
export interface NamedStatement<T, P> extends Omit<Statement<T>, 'names'> {
  /** The names of `$1`, `$2`, …. */
  readonly names: readonly (keyof P & string)[]
  /** Never set: only carries the parameter types. */
  readonly values?: P
}

/** A value that a statement is given: its type here, and PostgreSQL's. */
export interface Param<T, SqlType extends string = string> {
  readonly declared: Declared & { readonly sqlType: SqlType }
  /** Never set: carries the type. */
  readonly type?: T
}

/** Parameters of one of PostgreSQL's types. A type argument narrows the values that the statement takes. */
interface ParamsOf<SqlType extends string, Value, Default extends Value = Value> {
  /** A value that is never null. */
  <T extends Value = Default>(): Param<T, SqlType>
  /** A value that may be null. */
  orNull<T extends Value = Default>(): Param<T | null, SqlType>
}

/** Curried, since TypeScript infers all type arguments of a call or none: the type of the values is given. */
const paramsOf =
  <Value, Default extends Value = Value>() =>
  <SqlType extends string>(sqlType: SqlType): ParamsOf<SqlType, Value, Default> => {
    const make = (isNullable: boolean) => (): Param<never, SqlType> => ({ declared: { sqlType, isNullable } })
    return Object.assign(make(false), { orNull: make(true) })
  }

interface EnumParams {
  <Name extends EnumName, T extends EnumValue<Name> = EnumValue<Name>>(name: Name): Param<T, Name>
  orNull<Name extends EnumName, T extends EnumValue<Name> = EnumValue<Name>>(name: Name): Param<T | null, Name>
}

const enumParam =
  (isNullable: boolean) =>
  <Name extends EnumName>(sqlType: Name): Param<never, Name> => ({ declared: { sqlType, isNullable } })

const enumParams = <Name extends EnumName>(name: Name): Param<readonly EnumValue<Name>[], `${Name}[]`> => ({
  declared: { sqlType: `${name}[]`, isNullable: false },
})

/** Lists of values, null among them where the type argument says so. */
const listsOf = <Value>() => paramsOf<readonly (Value | null)[], readonly Value[]>()

/** A parameter by its type: `param.int8()`, `param.text.orNull()`, `param.enum('JobStatus')`, and lists: `param.texts()`. JSON is given as text. */
export const param = {
  text: paramsOf<string>()('text'),
  bool: paramsOf<boolean>()('bool'),
  int4: paramsOf<number>()('int4'),
  int8: paramsOf<number>()('int8'),
  float8: paramsOf<number>()('float8'),
  numeric: paramsOf<string | number, string>()('numeric'),
  timestamptz: paramsOf<string | Date, string>()('timestamptz'),
  bytea: paramsOf<Buffer>()('bytea'),
  json: paramsOf<string>()('json'),
  jsonb: paramsOf<string>()('jsonb'),
  enum: Object.assign(enumParam(false), { orNull: enumParam(true) }) as EnumParams,
  texts: listsOf<string>()('text[]'),
  bools: listsOf<boolean>()('bool[]'),
  int4s: listsOf<number>()('int4[]'),
  int8s: listsOf<number>()('int8[]'),
  float8s: listsOf<number>()('float8[]'),
  numerics: listsOf<string>()('numeric[]'),
  timestamps: listsOf<string>()('timestamptz[]'),
  enums: enumParams,
}

export type ParamSet = Readonly<Record<string, Param<unknown>>>

/** The values for a statement with these parameters. */
export type Given<P extends ParamSet> = { readonly [Name in keyof P]: P[Name] extends Param<infer T> ? T : never }

/** A statement that was built, and the stack of the call. */
export interface BuiltStatement {
  readonly statement: Statement<unknown> | NamedStatement<unknown, never>
  readonly columns: Columns<unknown> | null
  readonly params: ParamSet
  readonly stack: string
}

/**
 * Sent for each statement that is built; watched where all of them are listed, before the modules that build them are
 * loaded.
 */
export const statementBuilt = new Signal<BuiltStatement>('hub:statement-built')

interface Parts<T> {
  readonly name: string
  /** Of a read: why it is exact SQL and not Prisma's. */
  readonly exact?: ExactReason
  /** What the text selects or returns; absent where it yields no rows. */
  readonly columns?: Columns<T>
  readonly text: string
}

interface NamedParts<T, P extends ParamSet> extends Parts<T> {
  /** Written as `:name` in the text. They are numbered in this order. */
  readonly params: P
  /** Names the row of an update that is sent for it again and again: it counts what the row grows. */
  readonly rewrites?: keyof P & string
}

/**
 * A statement, built where its module is loaded. Throws there: for a `:name` that is not among `params`, one of `params` that the text does not use, a value
 * by its place (`$1`), and a text without the select list of `columns`.
 */
export function statement<P extends ParamSet, T = never>(parts: NamedParts<T, P>): NamedStatement<T, Given<P>>
/** The same, without parameters. */
export function statement<T = never>(parts: Parts<T>): Statement<T>
/** The result of both. */
export function statement<T>(parts: Parts<T> & { readonly params?: ParamSet; readonly rewrites?: string }): unknown {
  const { params = {}, rewrites } = parts
  if (!parts.params && namesIn(parts.text).length === 0)
    return announced({ ...selecting(parts), text: parts.text }, parts)
  const names = Object.keys(params)
  const unused = names.find((name) => !namesIn(parts.text).includes(name))
  if (unused !== undefined) throw new Error(`The statement ${parts.name} does not use its parameter :${unused}.`)
  const rowAt = rewrites === undefined ? undefined : names.indexOf(rewrites)
  return announced({ ...selecting(parts), text: textOf(parts, names), names: names as never[], rowAt }, parts)
}

/**
 * A statement whose text is built from constant pieces for one shape of a request: it has those of `params` that its
 * pieces use.
 */
export function composed<P extends ParamSet, T = never>(parts: NamedParts<T, P>): NamedStatement<T, Given<P>> {
  const used = namesIn(parts.text)
  const names = Object.keys(parts.params).filter((name) => used.includes(name))
  return announced({ ...selecting(parts), text: textOf(parts, names), names }, parts)
}

function announced<S extends Statement<unknown> | NamedStatement<unknown, never>, T>(
  statement: S,
  { columns, params = {} }: Parts<T> & { readonly params?: ParamSet },
): S {
  if (statementBuilt.isWatched)
    statementBuilt.send({ statement, columns: columns ?? null, params, stack: new Error().stack ?? '' })
  return statement
}

function selecting<T>({ name, columns, text }: Parts<T>): Pick<Statement<T>, 'name' | 'toRow' | 'writes'> {
  if (/\$\d/.test(text)) throw new Error(`The statement ${name} takes a value by its place: name it.`)
  const writes = writesOf(text)
  if (!columns) return { name, writes }
  if (!text.includes(columns.sql)) throw new Error(`The statement ${name} does not select its columns.`)
  return { name, toRow: columns.toRow, writes }
}

/** Not `::text`, a cast; names start in lower case, unlike `HH24:MI`. */
const placeholder = /(?<!:):([a-z][a-zA-Z0-9]*)/g

const namesIn = (text: string) => [...text.matchAll(placeholder)].map(([, name = '']) => name)

type TextParts = Pick<Parts<never>, 'name' | 'text'> & { readonly columns?: unknown; readonly params?: ParamSet }

const textOf = (parts: TextParts, names: readonly string[]) =>
  numbered(isKept(parts) ? { ...parts, text: keepable(parts) } : parts, names)

/** Of a read that is prepared. */
const isKept = ({ name, text, columns }: TextParts) =>
  name !== '' && columns !== undefined && !writesOf(text) && !/\bdelete\s+from\b/i.test(text)

/** A list where it is cast, and what it stands in. */
const castList = /(\b(?:any|all)\()?(?<!:):([a-z][a-zA-Z0-9]*)::((?:"\w+"|\w+)\[\])/g

/**
 * The text of a read whose plan PostgreSQL keeps. It plans a prepared statement at each execution for as long as plans
 * for the values seem cheaper; one for any values is expected to have ten of each list, so that for one account or one
 * parent it never seemed so, and the planning took more time than the read. The length of a list that a subquery
 * returns is unknown to both.
 */
function keepable({ text, params = {} }: TextParts): string {
  return text.replace(castList, (whole, quantifier: string | undefined, name: string, type: string) => {
    if (params[name]?.declared.isNullable !== false) return whole
    const list = `(select :${name}::${type})`
    return quantifier ? `${quantifier}${list}::${type}` : list
  })
}

/**
 * The first `:limit` of the rows that `select` names in its order; a page has no more than `most`. PostgreSQL expects a
 * tenth of all rows for a limit that it does not know, and a plan for any values would then read them all. It knows
 * neither limit here, but the constant below it; rows are read as they are asked for.
 */
export const firstOf = (select: string, most: number): string =>
  `select * from (${select} limit ${most}) bounded limit (select :limit::int)`

function numbered({ name, text }: TextParts, names: readonly string[]): string {
  return text.replace(placeholder, (_, param: string) => {
    const place = names.indexOf(param)
    if (place < 0) throw new Error(`The statement ${name} has no parameter :${param}.`)
    return `$${place + 1}`
  })
}

/** The values of a statement in the order of `$1`, `$2`, …. Throws if one is missing: null must be explicit. */
export function orderedValues<P>(statement: NamedStatement<unknown, P>, given: P): unknown[] {
  return statement.names.map((name) => {
    const value = given[name]
    if (value === undefined) throw new Error(`The statement ${statement.name} was given no :${name}.`)
    return value
  })
}
