/** What the text of a statement writes, compared with the columns of the database. */
import type pg from 'pg'
import type { BuiltStatement } from './built-statements.ts'
import { closing } from './sql-text.ts'

interface TableColumn {
  readonly sqlType: string
  readonly isNotNull: boolean
  readonly hasDefault: boolean
}

/** By table and column. */
export type TableColumns = ReadonlyMap<string, ReadonlyMap<string, TableColumn>>

const COLUMNS = `select c.relname as table, a.attname as column, a.attnotnull as "isNotNull",
    a.atthasdef or a.attidentity <> '' as "hasDefault",
    case when e.oid is null then t.typname else e.typname || '[]' end as "sqlType"
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid left join pg_type e on e.oid = t.typelem and e.typarray = t.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`

/** The columns of every table. */
export async function tableColumns(client: pg.Client): Promise<TableColumns> {
  const { rows } = await client.query<TableColumn & { table: string; column: string }>(COLUMNS)
  const tables = new Map<string, Map<string, TableColumn>>()
  for (const { table, column, ...rest } of rows) {
    const columns = tables.get(table) ?? new Map<string, TableColumn>()
    tables.set(table, columns.set(column, rest))
  }
  return tables
}

interface Write {
  readonly table: string
  readonly isInsert: boolean
  /** The values, as they are written, by column. */
  readonly values: ReadonlyMap<string, string>
}

/** The faults of what a statement writes, each with file, line, statement and column or parameter. */
export function writeFaults(statement: BuiltStatement, tables: TableColumns): string[] {
  const where = `${statement.at} ${statement.name || 'a statement without a name'}`
  return writesOf(statement.text).flatMap((write) =>
    [...missing(write, tables), ...nulls(write, statement, tables)].map((fault) => `${where}: ${fault}`),
  )
}

function missing({ table, isInsert, values }: Write, tables: TableColumns): string[] {
  const needed = [...(tables.get(table) ?? [])].filter(([, { isNotNull, hasDefault }]) => isNotNull && !hasDefault)
  const left = needed.filter(([column]) => isInsert && !values.has(column))
  return left.map(([column]) => `column ${table}.${column} is never null, and is given no value`)
}

function nulls({ table, values }: Write, { params }: BuiltStatement, tables: TableColumns): string[] {
  return [...values].flatMap(([column, value]) => {
    if (!tables.get(table)?.get(column)?.isNotNull) return []
    const place = /^\$(\d+)(?:::["\w[\]]+)*$/.exec(value)?.[1]
    const param = place === undefined ? undefined : params[Number(place) - 1]
    if (value === 'null') return [`column ${table}.${column} is never null, and is given null`]
    return param?.declared?.isNullable
      ? [`parameter :${param.name} can be null, and goes into ${table}.${column}, which is never null`]
      : []
  })
}

/** What a statement inserts and sets, in each of its parts. */
function writesOf(text: string): Write[] {
  return [...insertsOf(text), ...updatesOf(text)]
}

function insertsOf(text: string): Write[] {
  return [...text.matchAll(/\binsert into (\w+)(?: as \w+)? (?=\()/g)].flatMap(({ index, 0: head, 1: table = '' }) => {
    const rest = text.slice(index + head.length)
    const end = closing(rest)
    const columns = listed(rest.slice(1, end - 1))
    const after = rest.slice(end).trimStart()
    const opening = /^(?:values \(|select )/.exec(after)?.[0]
    if (opening === undefined) throw new Error(`An insert of neither values nor a select: ${after.slice(0, 40)}`)
    const values = opening.startsWith('values')
      ? listed(after.slice(opening.length, closing(after.slice(opening.length - 1)) + opening.length - 2))
      : listed(upTo(after.slice(opening.length), /^(?:from|where|order by|on conflict|returning)\b/))
    const inserted = { table, isInsert: true, values: new Map(columns.map((name, at) => [name, values[at] ?? ''])) }
    const change = /\bdo update\s+set /.exec(after)
    return change ? [inserted, set(table, after.slice(change.index + change[0].length))] : [inserted]
  })
}

const updatesOf = (text: string): Write[] =>
  [...text.matchAll(/\bupdate (\w+)(?: (?:as )?(?!set\b)\w+)?\s+set /g)].map(({ index, 0: head, 1: table = '' }) =>
    set(table, text.slice(index + head.length)),
  )

function set(table: string, text: string): Write {
  const pairs = listed(upTo(text, /^(?:from|where|returning)\b/)).map((change): [string, string] => {
    const [column = '', ...value] = change.split('=')
    return [column.trim().replaceAll('"', ''), value.join('=').trim()]
  })
  return { table, isInsert: false, values: new Map(pairs) }
}

/** The text up to one of these words outside of parentheses and of `case`, or the parenthesis that closes a part. */
function upTo(text: string, word: RegExp): string {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth < 0 || (depth === 0 && /\s/.test(text[at - 1] ?? '') && word.test(text.slice(at))))
      return text.slice(0, at)
  }
  return text
}

/** The items between commas outside of parentheses, brackets and quotes. */
function listed(text: string): string[] {
  const items: string[] = []
  let depth = 0
  let isQuoted = false
  let from = 0
  for (let at = 0; at <= text.length; at += 1) {
    const letter = text[at]
    if (letter === "'") isQuoted = !isQuoted
    if (isQuoted) continue
    if (letter === '(' || letter === '[') depth += 1
    if (letter === ')' || letter === ']') depth -= 1
    if (at === text.length || (letter === ',' && depth === 0)) {
      items.push(text.slice(from, at).trim())
      from = at + 1
    }
  }
  return items
}
