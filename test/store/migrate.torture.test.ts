import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { openDatabase } from '../../src/open-database.ts'
import { readConfig } from '../../src/platform/config.ts'
import { MIGRATIONS_DIR, migrate, pendingMigrations } from '../../src/store/migrate.ts'
import { noFilter, openSchemaEngine, readDatamodels, readMigrations } from '../../src/store/schema-engine.ts'
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
const FILLED_LISTS = [
  'api_keys.repo_ids',
  'changes.repo_ids',
  'readme_cards.labels',
  'readme_cards.tags',
  'repo_facet_changes.licenses',
  'repo_facet_changes.tags',
  'repos.card_labels',
  'repos.card_tags',
  'repos.tags',
  'runs.repo_ids',
  'runs.tags',
].map((at) => `column ${at} text[] null=t default=ARRAY[]::text[]`)

test('the migrations create what prisma/schema declares, and beyond it only indexes, checks and filled lists', async () => {
  const schema = await readDatamodels(SCHEMA_DIR)
  expect(await readFile(join(SCHEMA_DIR, '..', 'migrated.prisma'), 'utf8')).toBe(schema)
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
