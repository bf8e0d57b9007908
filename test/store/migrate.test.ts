import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { openDatabase } from '../../src/open-database.ts'
import { readConfig } from '../../src/platform/config.ts'
import { MIGRATIONS_DIR, migrate, pendingMigrations } from '../../src/store/migrate.ts'
import {
  newestSnapshot,
  noFilter,
  openSchemaEngine,
  readDatamodels,
  readMigrations,
} from '../../src/store/schema-engine.ts'
import { databaseUrl, onServer } from '../support/global-setup.ts'

const server = inject('databaseServerUrl')
const SCHEMA_DIR = join(import.meta.dirname, '../../prisma/schema')
let name: string
let url: string

beforeEach(async () => {
  name = `hub_test_${randomBytes(6).toString('hex')}`
  url = databaseUrl(server, name)
  await onServer(server, `create database ${name}`)
})
afterEach(() => onServer(server, `drop database ${name} with (force)`))

async function rowsOf<T extends pg.QueryResultRow>(text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end()
  }
}

const names = async () => (await readMigrations(MIGRATIONS_DIR)).migrationDirectories.map(({ path }) => path)

test('of two processes that start at once on an empty database one migrates, and both continue', async () => {
  const applied = await Promise.all([migrate(url), migrate(url)])
  expect(applied.map(({ length }) => length).sort()).toEqual([0, (await names()).length])
  expect(await migrate(url)).toEqual([])
})

test('the log of a first start has one short line of them, and that of the next start none', async () => {
  const lines: string[] = []
  const log = pino({ base: undefined, timestamp: false }, { write: (line: string) => lines.push(line) })
  const config = readConfig({ DATABASE_URL: url, HUB_SECRET: 'a secret of more than thirty-two characters' })
  for (let start = 1; start <= 2; start += 1) await (await openDatabase(config, log)).close()
  const known = await names()
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 30, applied: known.length, newest: known.at(-1), msg: 'database migrated' },
  ])
})

test('the bookkeeping is that of Prisma: a finished row with the checksum of each script', async () => {
  expect(await pendingMigrations(url)).toEqual(await names())
  await migrate(url)
  expect(await pendingMigrations(url)).toEqual([])
  const rows = await rowsOf<{ migration_name: string; checksum: string; applied_steps_count: number }>(
    `select migration_name, checksum, applied_steps_count from _prisma_migrations where finished_at is not null order by migration_name`,
  )
  const expected = await Promise.all(
    (await readdir(MIGRATIONS_DIR, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map(async (entry) => ({
        migration_name: entry.name,
        checksum: createHash('sha256')
          .update(await readFile(join(MIGRATIONS_DIR, entry.name, 'migration.sql')))
          .digest('hex'),
        applied_steps_count: 1,
      })),
  )
  expect(rows).toEqual(expected.sort((a, b) => a.migration_name.localeCompare(b.migration_name)))
})

test('a failed migration is rolled back, and the next start reports it', async () => {
  const list = await readMigrations(MIGRATIONS_DIR)
  const broken = {
    ...list,
    migrationDirectories: [
      {
        path: '20260101000000_broken',
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok' as const, value: `create table half (v int); -- first; half\nselect 1/0;` },
        },
      },
    ],
  }
  const { engine, close } = await openSchemaEngine(url)
  try {
    await expect(engine.applyMigrations({ migrationsList: broken, filters: noFilter })).rejects.toThrow()
  } finally {
    await close()
  }
  expect(await rowsOf(`select to_regclass('half')::text as half`)).toEqual([{ half: null }])
  await expect(migrate(url)).rejects.toThrow()
  expect(await rowsOf(`select to_regclass('accounts')::text as accounts`)).toEqual([{ accounts: null }])
})

test('a database that does not respond is 503', async () => {
  await expect(migrate('postgresql://hub@127.0.0.1:1/hub')).rejects.toMatchObject({ type: 'unavailable' })
})

/** Columns, types, enum values, indexes and constraints of the public schema, one a line; collations and the bookkeeping table left out. */
const CATALOGUE = `
  select format('column %s.%s %s null=%s default=%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), not a.attnotnull,
      pg_get_expr(d.adbin, d.adrelid)) as line
    from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped and c.relname <> '_prisma_migrations'
  union all select format('enum %s %s %s', t.typname, e.enumsortorder, e.enumlabel)
    from pg_enum e join pg_type t on t.oid = e.enumtypid where t.typnamespace = 'public'::regnamespace
  union all select 'index ' || indexdef from pg_indexes where schemaname = 'public' and tablename <> '_prisma_migrations'
  union all select format('constraint %s.%s %s', r.relname, k.conname, pg_get_constraintdef(k.oid))
    from pg_constraint k join pg_class r on r.oid = k.conrelid
    where k.connamespace = 'public'::regnamespace and r.relname <> '_prisma_migrations' and k.contype <> 'n'
  order by 1`

/** Prisma leaves lists nullable. */
const FILLED_LISTS = ['api_keys.repo_ids', 'changes.repo_ids', 'repos.tags', 'runs.repo_ids'].map(
  (at) => `column ${at} text[] null=t default=ARRAY[]::text[]`,
)

test('the migrations create what prisma/schema declares, and beyond it only indexes, checks and filled lists', async () => {
  const schema = await readDatamodels(SCHEMA_DIR)
  expect(await newestSnapshot(MIGRATIONS_DIR)).toBe(schema)
  const { engine, close } = await openSchemaEngine(url)
  try {
    const { stdout } = await engine.diff({
      from: { tag: 'empty' },
      to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content: schema }] },
      script: true,
      exitCode: null,
      filters: noFilter,
    })
    await rowsOf(stdout ?? '')
  } finally {
    await close()
  }
  const lines = async () => (await rowsOf<{ line: string }>(CATALOGUE)).map(({ line }) => line)
  const said = await lines()
  expect(said.length).toBeGreaterThan(100)
  await onServer(server, `drop database ${name} with (force)`)
  await onServer(server, `create database ${name}`)
  await migrate(url)
  const made = await lines()
  expect(said.filter((line) => !made.includes(line))).toEqual(FILLED_LISTS)
  const filled = FILLED_LISTS.map((line) => line.replace('null=t', 'null=f'))
  const byHand = made.filter((line) => !said.includes(line) && !filled.includes(line))
  expect(byHand.filter((line) => !/^(?:index CREATE |constraint \S+ CHECK )/.test(line))).toEqual([])
})

async function migrateUpTo(name: string): Promise<void> {
  const list = await readMigrations(MIGRATIONS_DIR)
  const at = list.migrationDirectories.findIndex(({ path }) => path.endsWith(name))
  const { engine, close } = await openSchemaEngine(url)
  try {
    await engine.applyMigrations({
      migrationsList: { ...list, migrationDirectories: list.migrationDirectories.slice(0, at) },
      filters: noFilter,
    })
  } finally {
    await close()
  }
}

test('references to repos from before owners were stored get the owner of their run', async () => {
  await migrateUpTo('_repo_references_owner')
  await rowsOf(`insert into accounts (id, kind, handle) values ('user_a', 'user', 'a'), ('user_b', 'user', 'b');
    insert into repos (id, owner_id, slug, kind) values ('repo_1', 'user_a', 'one', 'dataset');
    insert into runs (id, kind, status, executor, owner_id, filed_by, template, recipe, recipe_hash)
      values ('run_1', 'cloud', 'queued', 'worker', 'user_b', 'key_1', 'act', '{}', repeat('a', 64));
    insert into repo_references (repo_id, referrer_id, reason) values ('repo_1', 'run_1', 'dataset'), ('repo_1', 'run_1', 'robot'), ('repo_1', 'run_gone', 'dataset')`)
  await migrate(url)
  expect(
    await rowsOf('select referrer_id, reason, referrer_kind, owner_id from repo_references order by reason'),
  ).toEqual([
    { referrer_id: 'run_1', reason: 'dataset', referrer_kind: 'run', owner_id: 'user_b' },
    { referrer_id: 'run_1', reason: 'robot', referrer_kind: 'run', owner_id: 'user_b' },
  ])
})

test('repos from before changes were stored get the changes whose states are whole, and those that runs pinned', async () => {
  await migrateUpTo('_repo_versions')
  // Files: a was written in 1 and again in 4, b came in 2 and went in 5, c came in 3, was rejected in 6; e came in 5. What 2 closed was pruned.
  await rowsOf(`insert into accounts (id, kind, handle) values ('user_a', 'user', 'a');
    insert into repos (id, owner_id, slug, kind, seq, file_count, total_bytes) values ('repo_1', 'user_a', 'one', 'dataset', 6, 2, 1010),
      ('repo_2', 'user_a', 'two', 'dataset', 3, 0, 0), ('repo_3', 'user_a', 'three', 'dataset', 0, 0, 0);
    insert into blobs (id, storage_key, size, claimed, state, doomed_at) select 'blob_' || n, n, n, repeat('a', 64), case when n = 100 then 'doomed' else 'live' end::"BlobState", case when n = 100 then now() end
      from unnest(array[1, 10, 100, 1000]) n;
    insert into files (repo_id, path, from_seq, to_seq, blob_id, updated_at, closed_at, pinned) values
      ('repo_1', 'a', 1, 4, 'blob_1', '2026-01-01', '2026-01-04', true), ('repo_1', 'a', 4, null, 'blob_10', '2026-01-04', null, false),
      ('repo_1', 'b', 2, 5, 'blob_1', '2026-01-02', '2026-01-05', false), ('repo_1', 'c', 3, 6, 'blob_100', '2026-01-03', '2026-01-06', false),
      ('repo_1', 'e', 5, null, 'blob_1000', '2026-01-05', null, false);
    insert into runs (id, kind, status, executor, owner_id, filed_by, template, recipe, recipe_hash)
      values ('run_1', 'cloud', 'queued', 'worker', 'user_a', 'key_1', 'act', '{}', repeat('a', 64));
    insert into run_datasets (run_id, position, ref, repo_id, seq) values ('run_1', 0, 'x', 'repo_1', 1);
    insert into audit_log (id, action, target_id, actor_id, credential_id, after)
      values ('aud_1', 'files.complete', 'repo_1', 'user_a', 'key_1', '{"seq": 5}'), ('aud_2', 'repo.update', 'repo_1', 'user_a', 'key_2', '{"seq": "x"}')`)
  await migrate(url)
  const changes =
    await rowsOf(`select repo_id as repo, seq, to_char(at, 'DD') as at, to_char(replaced_at, 'DD') as until, action, actor_id as actor,
    files_added as added, files_removed as removed, files_changed as changed, bytes_added::int as in, bytes_removed::int as out,
    file_count as files, total_bytes::int as bytes, withdrawn_count as withdrawn from repo_changes where repo_id = 'repo_1' order by seq`)
  const nothing = { actor: null, added: 0, removed: 0, changed: 0, in: 0, out: 0, withdrawn: 0 }
  expect(changes).toEqual([
    { ...nothing, repo: 'repo_1', seq: 1, at: '01', until: '01', action: 'complete', files: 1, bytes: 1 },
    {
      ...nothing,
      ...{ repo: 'repo_1', seq: 5, at: '05', until: '06', action: 'complete', actor: 'user_a', added: 1, removed: 1 },
      ...{ in: 1000, out: 1, files: 2, bytes: 1010, withdrawn: 1 },
    },
    {
      ...nothing,
      ...{
        repo: 'repo_1',
        seq: 6,
        at: '06',
        until: null,
        action: 'reject',
        removed: 1,
        out: 100,
        files: 2,
        bytes: 1010,
      },
    },
  ])
  expect(await rowsOf(`select seq, file_count as files from repo_changes where repo_id <> 'repo_1'`)).toEqual([
    { seq: 3, files: 0 },
  ])
  expect(await rowsOf('select path, from_seq, to_seq, reason from withdrawn_files')).toEqual([
    { path: 'c', from_seq: 3, to_seq: 6, reason: 'rejected' },
  ])
  expect(await rowsOf(`select path from files where repo_id = 'repo_1' order by id`)).toEqual([
    { path: 'a' },
    { path: 'a' },
    { path: 'b' },
    { path: 'e' },
  ])
})
