/** The columns of a row, said once: the select list, the row's type and the mapping follow from them. */

/** One column: its SQL, and the type of what the type parsers make of it (int8 a number, timestamptz RFC 3339 text, numeric text). */
export interface Column<T> {
  readonly sql: string
  /** Never set: carries the type. */
  readonly type?: T
}

/** A column of type `T`, null included where it can be null. The database is trusted to hold what the hub wrote: nothing is checked at run time. */
export const column = <T>(sql: string): Column<T> => ({ sql })

type ColumnSet = Readonly<Record<string, Column<unknown>>>

/** The row that a set of columns makes. */
type Row<C extends ColumnSet> = { readonly [Name in keyof C]: C[Name] extends Column<infer T> ? T : never }

/** What a statement selects, in a fixed order. */
export interface Columns<R> {
  /** The select list; each column is named as the member of the row. */
  readonly sql: string
  /** The row of an array of cells in the order of `sql`. */
  readonly toRow: (cells: readonly unknown[]) => R
  /** These columns and more behind them. */
  with<M extends ColumnSet>(more: M): Columns<R & Row<M>>
  /** The same columns as an outer query reads them from the subquery `alias`, which selects these. */
  from(alias: string): Columns<R>
  /** These columns, and behind them those of the subquery `alias` that a left join brings: null together. */
  withOptional<M>(alias: string, joined: Columns<M>): Columns<R & { readonly [Name in keyof M]: M[Name] | null }>
  readonly names: readonly string[]
}

export type RowOf<C> = C extends Columns<infer R> ? R : never

/** Names go into SQL and into code as they are. */
const isName = (name: string) => /^[a-z][a-zA-Z0-9]*$/.test(name)

/** Throws at start where a name is no plain identifier. */
export function columns<C extends ColumnSet>(set: C): Columns<Row<C>> {
  const names = Object.keys(set)
  const wrong = names.find((name) => !isName(name))
  if (wrong !== undefined) throw new Error(`A column cannot be named ${JSON.stringify(wrong)}.`)
  const self: Columns<Row<C>> = {
    names,
    sql: names.map((name) => `${set[name]?.sql} as "${name}"`).join(', '),
    toRow: mapperOf(names) as (cells: readonly unknown[]) => Row<C>,
    with: (more) => columns({ ...set, ...more }) as Columns<never>,
    from: (alias) => columns(namedBy(alias, names)) as Columns<never>,
    withOptional: (alias, joined) => self.with(namedBy(alias, joined.names)) as Columns<never>,
  }
  return self
}

const namedBy = (alias: string, names: readonly string[]): ColumnSet =>
  Object.fromEntries(names.map((name) => [name, { sql: `${alias}."${name}"` }]))

/**
 * One object literal, compiled: engines give all rows one shape and write each member to its place. A loop over the names costs a row of 52 columns three
 * times as much, and so does the driver's own mapping by name.
 */
function mapperOf(names: readonly string[]): (cells: readonly unknown[]) => unknown {
  const members = names.map((name, place) => `${name}: cells[${place}]`)
  return new Function('cells', `return { ${members.join(', ')} }`) as (cells: readonly unknown[]) => unknown
}
