/** What a database has: its tables in the order of their references, and its sequences. */
import type pg from 'pg'
import { BackupError } from './manifest.ts'

export interface TableShape {
  readonly name: string
  readonly columns: readonly string[]
}

/**
 * Prisma's own bookkeeping is written by the migrations, and what an extension made by the extension. `changes` has
 * numbers of this server's transactions, for a day.
 */
const TABLES = `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = ''
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    and c.relname not in ('_prisma_migrations', 'changes')
    and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
  group by c.relname order by c.relname`

const REFERENCES = `select distinct r.relname as "from", t.relname as "to" from pg_constraint k
  join pg_class r on r.oid = k.conrelid join pg_class t on t.oid = k.confrelid
  where k.contype = 'f' and k.connamespace = 'public'::regnamespace and k.conrelid <> k.confrelid`

/** Tables of the public schema, each after those that it refers to. */
export async function readTables(client: pg.Client): Promise<TableShape[]> {
  const tables = (await client.query<{ name: string; columns: string[] }>(TABLES)).rows
  const { rows: references } = await client.query<{ from: string; to: string }>(REFERENCES)
  const ordered: TableShape[] = []
  const left = new Map(tables.map((table) => [table.name, table]))
  while (left.size > 0) {
    const ready = [...left.values()].filter(
      ({ name }) => !references.some((reference) => reference.from === name && left.has(reference.to)),
    )
    if (ready.length === 0) throw new BackupError(`Tables refer to each other: ${[...left.keys()].join(', ')}.`)
    for (const table of ready) left.delete(table.name)
    ordered.push(...ready)
  }
  return ordered
}

/** Sequences that have given out a number, with the last one. */
export async function readSequences(client: pg.Client): Promise<{ name: string; value: number }[]> {
  const { rows } = await client.query<{ name: string; value: string }>(
    `select sequencename as name, last_value::text as value from pg_sequences
     where schemaname = 'public' and last_value is not null order by sequencename`,
  )
  return rows.map(({ name, value }) => ({ name, value: Number(value) }))
}

/** The COPY of a table's own columns, in the order of the backup. */
export function copySql(
  client: pg.Client,
  { name, columns }: TableShape,
  direction: 'to stdout' | 'from stdin',
): string {
  const list = columns.map((column) => client.escapeIdentifier(column)).join(', ')
  return `copy public.${client.escapeIdentifier(name)} (${list}) ${direction}`
}
