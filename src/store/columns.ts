/** Defines a row's columns once; the select list, the row type and the mapping are derived from them. */

import { JsonText } from '../platform/json-text.ts'

/** One column: its SQL, and the type of its parsed value (int8 a number, timestamptz RFC 3339 text, numeric text). */
export interface Column<T> {
  readonly sql: string
  /** Its text is kept, and parsed where it is read. */
  readonly isDocument?: boolean
  /** Never set: only carries the type. */
  readonly type?: T
}

/** A column of type `T`, null included where it can be null. The database is trusted: nothing is checked at run time. */
export const column = <T>(sql: string): Column<T> => ({ sql })

/** A column of JSON that clients wrote, null included where it can be null. It is parsed where it is read. */
export const documentColumn = <T>(
  sql: string,
): Column<null extends T ? JsonText<Exclude<T, null>> | null : JsonText<T>> => ({
  sql: `(${sql})::text`,
  isDocument: true,
})

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
  readonly names: readonly string[]
  readonly documents: ReadonlySet<string>
}

export type RowOf<C> = C extends Columns<infer R> ? R : never

/** Names are inserted into SQL and code unescaped. */
const isName = (name: string) => /^[a-z][a-zA-Z0-9]*$/.test(name)

/** Throws at startup if a name is not a plain identifier. */
export function columns<C extends ColumnSet>(set: C): Columns<Row<C>> {
  const names = Object.keys(set)
  const wrong = names.find((name) => !isName(name))
  if (wrong !== undefined) throw new Error(`A column cannot be named ${JSON.stringify(wrong)}.`)
  const documents = new Set(names.filter((name) => set[name]?.isDocument === true))
  const self: Columns<Row<C>> = {
    names,
    documents,
    sql: names.map((name) => `${set[name]?.sql} as "${name}"`).join(', '),
    toRow: mapperOf(names, documents) as (cells: readonly unknown[]) => Row<C>,
    with: (more) => columns({ ...set, ...more }) as Columns<never>,
    from: (alias) => columns(namedBy(alias, self)) as Columns<never>,
    withOptional: (alias, joined) => self.with(namedBy(alias, joined)) as Columns<never>,
  }
  return self
}

const namedBy = (alias: string, { names, documents }: Pick<Columns<unknown>, 'names' | 'documents'>): ColumnSet =>
  Object.fromEntries(names.map((name) => [name, { sql: `${alias}."${name}"`, isDocument: documents.has(name) }]))

/**
 * Compiles one object literal, so that all rows share one hidden class. A loop over the names is three times as slow for a row of 52 columns,
 * and so is the driver's own mapping by name.
 */
function mapperOf(names: readonly string[], documents: ReadonlySet<string>): (cells: readonly unknown[]) => unknown {
  const members = names.map((name, place) => {
    const cell = `cells[${place}]`
    return `${name}: ${documents.has(name) ? `${cell} === null ? null : new JsonText(${cell})` : cell}`
  })
  const map = new Function('JsonText', `return (cells) => ({ ${members.join(', ')} })`)
  return map(JsonText) as (cells: readonly unknown[]) => unknown
}
