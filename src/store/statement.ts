/** SQL statements: name, constant text, row type and parameters. */
import type { Columns } from './columns.ts'

/**
 * One SQL statement, its values in the order of `$1`, `$2`, …. A name prepares it once per connection (an empty one does not: for texts with too many
 * shapes to keep). `T` is the row as the hub's type parsers return it: int8 a number, timestamptz RFC 3339 text, numeric text, json parsed with its
 * numbers as they are written.
 */
export interface Statement<T> {
  readonly name: string
  readonly text: string
  /** Maps cells to the row. Without it, members are named like the columns in the text. */
  readonly toRow?: (cells: readonly unknown[]) => T
  readonly names?: undefined
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

interface Param<T> {
  /** Never set: carries the type. */
  readonly type?: T
}

/** A parameter of type `T`, null included where it may be null. */
export const param = <T>(): Param<T> => ({})

type ParamSet = Readonly<Record<string, Param<unknown>>>

/** The values for a statement with these parameters. */
export type Given<P extends ParamSet> = { readonly [Name in keyof P]: P[Name] extends Param<infer T> ? T : never }

interface Parts<T> {
  readonly name: string
  /** What the text selects or returns; absent where it yields no rows. */
  readonly columns?: Columns<T>
  readonly text: string
}

interface NamedParts<T, P extends ParamSet> extends Parts<T> {
  /** Written as `:name` in the text. They are numbered in this order. */
  readonly params: P
}

/**
 * A statement, built where its module is loaded. Throws there: for a `:name` that is not among `params`, one of `params` that the text does not use, and a
 * text without the select list of `columns`.
 */
export function statement<P extends ParamSet, T = never>(parts: NamedParts<T, P>): NamedStatement<T, Given<P>>
/** The same, with its values by place: for one or two of them. */
export function statement<T = never>(parts: Parts<T>): Statement<T>
/** The result of both. */
export function statement<T>(parts: Parts<T> & { readonly params?: ParamSet }): unknown {
  const { params = {} } = parts
  if (!parts.params && namesIn(parts.text).length === 0) return { ...selecting(parts), text: parts.text }
  const names = Object.keys(params)
  const unused = names.find((name) => !namesIn(parts.text).includes(name))
  if (unused !== undefined) throw new Error(`The statement ${parts.name} does not use its parameter :${unused}.`)
  return { ...selecting(parts), text: numbered(parts, names), names: names as never[] }
}

/** A statement whose text is built from constant pieces for one shape of a request: it has those of `params` that its pieces use. */
export function composed<P extends ParamSet, T = never>(parts: NamedParts<T, P>): NamedStatement<T, Given<P>> {
  const used = namesIn(parts.text)
  const names = Object.keys(parts.params).filter((name) => used.includes(name))
  return { ...selecting(parts), text: numbered(parts, names), names }
}

function selecting<T>({ name, columns, text }: Parts<T>): Pick<Statement<T>, 'name' | 'toRow'> {
  if (!columns) return { name }
  if (!text.includes(columns.sql)) throw new Error(`The statement ${name} does not select its columns.`)
  return { name, toRow: columns.toRow }
}

/** Not `::text`, a cast; names start in lower case, unlike `HH24:MI`. */
const placeholder = /(?<!:):([a-z][a-zA-Z0-9]*)/g

const namesIn = (text: string) => [...text.matchAll(placeholder)].map(([, name = '']) => name)

function numbered({ name, text }: Parts<unknown>, names: readonly string[]): string {
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
