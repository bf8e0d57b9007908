/** Tables with made-up rows, for plans of statements: no plan of an empty table tells anything. */
import type pg from 'pg'

/** Tables that are of PostgreSQL's own, of the queue, or of Prisma. */
const columnsOfTables = `
  select c.oid::regclass::text as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type,
    a.attnotnull as required,
    exists (select from pg_index i where i.indrelid = c.oid and i.indisunique and i.indnkeyatts = 1
      and i.indkey[0] = a.attnum) as key, a.attidentity <> '' or a.attgenerated <> '' as generated, t.typtype = 'e' as enum,
    (select array_agg(e.enumlabel::text order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid) as labels
  from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
    and c.relname <> '_prisma_migrations'
  order by 1, a.attnum`

interface ColumnOfTable {
  readonly table: string
  readonly column: string
  readonly type: string
  readonly required: boolean
  /** No two rows have the same value. */
  readonly key: boolean
  readonly generated: boolean
  readonly enum: boolean
  readonly labels: readonly string[] | null
}

const valueOrNull = (column: ColumnOfTable) =>
  column.required ? filled(column) : `case when n % 3 > 0 then ${filled(column)} end`

/** The n-th value of a column. Times are a minute apart and end now, so that a tenth of a table is young. */
function filled({ type, labels, column, key }: ColumnOfTable): string {
  if (labels) return `(array[${labels.map((label) => `'${label}'`).join(', ')}])[1 + n % ${labels.length}]::${type}`
  if (type.endsWith('[]')) return `'{}'::${type}`
  if (/^(timestamp|date)/.test(type)) return `now() - n * interval '10 minutes'`
  if (/^(integer|bigint|smallint|numeric|double|real)/.test(type)) return key ? 'n' : 'n % 30000'
  if (type === 'boolean') return 'n % 2 = 0'
  if (/^jsonb?$/.test(type)) return `'{}'::${type}`
  if (type === 'bytea') return `sha256(n::text::bytea)`
  if (type === 'uuid') return 'gen_random_uuid()'
  return `'${column}-' || n`
}

/**
 * Fills each table of this scratch database with `rows` rows that break every rule but uniqueness; `more` has the rows
 * of some.
 */
export async function fillTables(
  client: pg.Client,
  rows: number,
  more: Readonly<Record<string, number>> = {},
): Promise<void> {
  const { rows: columns } = await client.query<ColumnOfTable>(columnsOfTables)
  const { rows: rules } = await client.query<{ table: string; name: string }>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name from pg_constraint
      where contype in ('f', 'c') and connamespace = 'public'::regnamespace`,
  )
  for (const { table, name } of rules) await client.query(`alter table ${table} drop constraint ${name}`)
  for (const [table, own] of Map.groupBy(
    columns.filter(({ generated }) => !generated),
    ({ table }) => table,
  )) {
    await client.query(`alter table ${table} disable trigger user`)
    const names = own.map(({ column }) => `"${column}"`).join(', ')
    await client.query(
      `insert into ${table} (${names}) select ${own.map(valueOrNull).join(', ')} from generate_series(1, ${more[table] ?? rows}) n
        on conflict do nothing`,
    )
  }
  await client.query('analyze')
}
