/** What a statement declares and PostgreSQL has otherwise. */
import type { BuiltStatement, DeclaredColumn } from './built-statements.ts'
import type { DescribedColumn, DescribedStatement } from './describe-statement.ts'
import { closing } from './sql-text.ts'

/** Nothing is shown of it, and nothing is read: `pg_advisory_xact_lock`. */
const isVoid = ({ sqlType }: DescribedColumn) => sqlType === 'void'

/** The faults of a statement, each with file, line, statement and column or parameter. */
export function faultsOf(statement: BuiltStatement, described: DescribedStatement): string[] {
  const where = `${statement.at} ${statement.name || 'a statement without a name'}`
  return [...columnFaults(statement, described), ...paramFaults(statement, described)].map(
    (fault) => `${where}: ${fault}`,
  )
}

function columnFaults({ columns, text }: BuiltStatement, described: DescribedStatement): string[] {
  const found = described.columns.filter((column) => !isVoid(column))
  if (columns.length !== found.length) {
    const [declared, has] = [columns, found].map((all) => all.map(({ name }) => name).join(', ') || 'none')
    return [`it yields the columns ${has}, and declares ${declared}`]
  }
  const nullable = nullableSides(text)
  return columns.flatMap((column, place) => {
    const actual = found[place]
    return actual ? faultsOfColumn(column, actual, nullable) : []
  })
}

function faultsOfColumn(column: DeclaredColumn, actual: DescribedColumn, nullable: ReadonlySet<string>): string[] {
  const { name, sql, declared } = column
  if (name !== actual.name) return [`column ${name} comes back as ${actual.name}`]
  if (!declared) return [`column ${name} declares no type; it is ${actual.sqlType}`]
  if (declared.sqlType !== actual.sqlType) return [`column ${name} is ${actual.sqlType}, declared ${declared.sqlType}`]
  if (!actual.origin) return []
  const of = `${actual.origin.table}.${actual.origin.column}`
  const alias = /^\(*(\w+)\./.exec(sql)?.[1]
  const isOfOuterJoin = alias !== undefined && nullable.has(alias)
  const canBeNull = !actual.origin.isNotNull || isOfOuterJoin
  if (canBeNull && !declared.isNullable) {
    const why = isOfOuterJoin ? `, since ${alias} is joined by an outer join` : ''
    return [`column ${name} can be null (${of}${why}), and is declared as never null`]
  }
  if (!canBeNull && declared.isNullable)
    return [`column ${name} is never null (${of}), and is declared as null at times`]
  return []
}

function paramFaults({ params }: BuiltStatement, described: DescribedStatement): string[] {
  if (params.length !== described.params.length)
    return [`it takes ${described.params.length} parameters, and declares ${params.length}`]
  return params.flatMap(({ name, declared }, place) => {
    const actual = described.params[place]
    if (!declared) return [`parameter :${name} declares no type; it is ${actual}`]
    return declared.sqlType === actual ? [] : [`parameter :${name} is ${actual}, declared ${declared.sqlType}`]
  })
}

/** The aliases on the side of outer joins that can be null: `c` of `left join accounts c on …`, `d` of `left join lateral (…) d on …`. */
export function nullableSides(text: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { index, 0: join } of text.matchAll(/\bleft join\s+(?:lateral\s+)?/g)) {
    const rest = text.slice(index + join.length)
    const after = rest.startsWith('(') ? rest.slice(closing(rest)) : rest.replace(/^[\w.]+(?:\([^()]*\))?/, '')
    const alias = /^\s*(?:as\s+)?(\w+)/.exec(after)?.[1]
    const table = /^\w+/.exec(rest)?.[0]
    if (alias !== undefined && alias !== 'on') found.add(alias)
    else if (table !== undefined) found.add(table)
    else
      for (const [, inside = ''] of rest.slice(0, rest.length - after.length).matchAll(/(?:^\(|\bjoin )\s*\w+ (\w+)/g))
        found.add(inside)
  }
  return found
}
