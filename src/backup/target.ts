/**
 * The database that a backup is restored into: what it has, emptying it, and the mark of a restore that has not ended.
 */
import type pg from 'pg'
import { isBeingRestored, RESTORE_MARK } from '../store/restore-mark.ts'
import { BackupError } from './manifest.ts'
import { readTables } from './tables.ts'

export interface TargetDatabase {
  /** Rows of the tables that an operator counts a hub by; all zero for a new hub. */
  readonly counts: Readonly<Record<'accounts' | 'repos' | 'files' | 'runs', number>>
  readonly isEmpty: boolean
  /** Whether a restore began here and did not end. */
  readonly isUnfinished: boolean
}

/** Reads what is there; changes nothing. */
export async function readTarget(client: pg.Client): Promise<TargetDatabase> {
  const tables = await readTables(client)
  const counts = { accounts: 0, repos: 0, files: 0, runs: 0 }
  let isEmpty = true
  for (const { name } of tables) {
    const table = client.escapeIdentifier(name)
    if (name in counts) {
      const { rows } = await client.query<{ n: string }>(`select count(*) as n from public.${table}`)
      counts[name as keyof typeof counts] = Number(rows[0]?.n)
    }
    const any = await client.query(`select from public.${table} limit 1`)
    if (any.rowCount !== 0) isEmpty = false
  }
  return { counts, isEmpty, isUnfinished: await isBeingRestored(client) }
}

/** A hub on this database would write between the rows that are restored. */
export async function assertUnused(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select application_name as name from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name like 'hub%'`,
  )
  if (rows.length > 0)
    throw new BackupError(
      `A hub or another hub command is using this database (${rows.length} connections). Stop it first.`,
    )
}

const RESTORE_SCHEMA = RESTORE_MARK.split('.')[0]

/**
 * From here on no hub starts on this database until `clearMark`. `aside` is where the objects of before will go;
 * returned is where an earlier restore that was interrupted said that they go.
 */
export async function setMark(client: pg.Client, aside: string | null): Promise<string | null> {
  await client.query('begin')
  await client.query(`create schema if not exists ${RESTORE_SCHEMA}`)
  await client.query(
    `create table if not exists ${RESTORE_MARK} (begun_at timestamptz not null default now(), aside text)`,
  )
  await client.query(`insert into ${RESTORE_MARK} (aside) select $1 where not exists (select from ${RESTORE_MARK})`, [
    aside,
  ])
  const { rows } = await client.query<{ aside: string | null }>(`select aside from ${RESTORE_MARK}`)
  await client.query('commit')
  return rows[0]?.aside ?? null
}

/** The restore has ended: hubs may start. */
export async function clearMark(client: pg.Client): Promise<void> {
  await client.query(`drop schema if exists ${RESTORE_SCHEMA} cascade`)
}

/**
 * Everything of the public schema that no extension made: `drop schema` would take the extensions too, which not every
 * user may create again.
 */
const DROPS = `select format('drop table if exists public.%I cascade', c.relname) as drop from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
  union all select format('drop function if exists public.%I(%s) cascade', p.proname,
    pg_get_function_identity_arguments(p.oid)) from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  union all select format('drop type if exists public.%I cascade', t.typname) from pg_type t
    where t.typnamespace = 'public'::regnamespace and t.typtype = 'e'
      and not exists (select 1 from pg_depend d where d.objid = t.oid and d.deptype = 'e')`

/** Removes all tables of the hub and of its queue, in one transaction. */
export async function emptyDatabase(client: pg.Client): Promise<void> {
  await client.query('begin')
  const { rows } = await client.query<{ drop: string }>(DROPS)
  for (const { drop } of rows) await client.query(drop)
  await client.query('drop schema if exists pgboss cascade')
  await client.query('commit')
}
