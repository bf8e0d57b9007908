// @module-tag sampled
/** What came before the baseline: databases whose migrations and catalogue are its own continue with it, and no other. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { itOnce, sampled } from '@hub/testing/torture'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { startFailure } from '../../src/start-failure.ts'
import { NotAdoptedError } from '../../src/store/adopt-baseline.ts'
import { BASELINE } from '../../src/store/baseline.ts'
import { readCatalogue } from '../../src/store/catalogue.ts'
import { MIGRATIONS_DIR, migrate, pendingMigrations } from '../../src/store/migrate.ts'
import { noFilter, openSchemaEngine, readMigrations } from '../../src/store/schema-engine.ts'
import { listAsBefore, migrateToBaseline } from '../support/before-baseline.ts'
import { databaseUrl, onServer } from '../support/global-setup.ts'

const server = inject('databaseServerUrl')
let name: string
let url: string
let client: pg.Client

beforeEach(async () => {
  name = `hub_test_${randomBytes(6).toString('hex')}`
  url = databaseUrl(server, name)
  await onServer(server, `create database ${name}`)
  await migrateToBaseline(url)
  client = new pg.Client({ connectionString: url })
  await client.connect()
})
afterEach(async () => {
  await client.end()
  await onServer(server, `drop database ${name} with (force)`)
})

const sql = async <T extends pg.QueryResultRow>(text: string) => (await client.query<T>(text)).rows

async function catalogue(): Promise<readonly string[]> {
  await client.query('begin')
  try {
    return await readCatalogue(client)
  } finally {
    await client.query('rollback')
  }
}

/** All that adoption could change: the list of migrations, the catalogue, and which transactions last wrote to the tables of it. */
const state = async () => ({
  history: await sql('select * from _prisma_migrations order by id'),
  catalogue: await catalogue(),
  written: await sql(`select oid, xmin from pg_class where relnamespace = 'public'::regnamespace order by oid`),
})

itOnce('the baseline makes exactly the catalogue that databases from before it are compared with', async () => {
  const text = `${(await catalogue()).join('\n')}\n`
  await expect(text).toMatchFileSnapshot(join(MIGRATIONS_DIR, BASELINE, 'catalogue.txt'))
})

describe('a database with all migrations from before the baseline', () => {
  beforeEach(() => listAsBefore(client))

  itOnce('gets the row of the baseline and nothing else, and its own rows stay', async () => {
    await sql(`insert into accounts (id, kind, handle) values ('user_a', 'user', 'a')`)
    const before = await state()
    expect((await pendingMigrations(url))[0]).toBe(BASELINE)
    expect(await migrateToBaseline(url)).toEqual([BASELINE])
    const added = await sql<{ name: string; finished: boolean; steps: number }>(
      `select migration_name as name, finished_at is not null as finished, applied_steps_count as steps from _prisma_migrations where migration_name = '${BASELINE}'`,
    )
    expect(added).toEqual([{ name: BASELINE, finished: true, steps: 0 }])
    const { history, ...schema } = await state()
    expect(history).toEqual(expect.arrayContaining(before.history))
    expect({ ...schema, history: before.history }).toEqual(before)
    expect(await pendingMigrations(url)).not.toContain(BASELINE)
    expect(await migrateToBaseline(url)).toEqual([])
    expect(await sql('select id from accounts')).toEqual([{ id: 'user_a' }])
  })

  itOnce('is adopted once by two hubs that start at once', async () => {
    const applied = await Promise.all([migrate(url), migrate(url)])
    expect(applied.flat().filter((one) => one === BASELINE)).toHaveLength(1)
    expect(await sql(`select from _prisma_migrations where migration_name = '${BASELINE}'`)).toHaveLength(1)
  })

  itOnce('takes the migrations that come after the baseline', async () => {
    await migrate(url)
    const list = await readMigrations(MIGRATIONS_DIR)
    const next = {
      path: '29990101000000_next',
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: 'create table next (v int);' } },
    }
    const { engine, close } = await openSchemaEngine(url)
    try {
      const migrationsList = { ...list, migrationDirectories: [...list.migrationDirectories, next] }
      const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: noFilter })
      expect(appliedMigrationNames).toEqual([next.path])
    } finally {
      await close()
    }
  })

  itOnce('is as it was when the hub dies before the row is there, and the next start adopts it', async () => {
    await sql(`create function die() returns trigger language plpgsql as $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create schema elsewhere; alter function die() set schema elsewhere;
      create trigger dies after insert on _prisma_migrations for each row execute function elsewhere.die()`)
    const before = await state()
    await expect(migrate(url)).rejects.toMatchObject({ type: 'unavailable' })
    expect(await state()).toEqual(before)
    await sql('drop schema elsewhere cascade')
    expect((await migrate(url))[0]).toBe(BASELINE)
  })

  const LAST = `(select max(migration_name) from _prisma_migrations)`
  const another = `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)`
  const altered: readonly [what: string, change: string, line: RegExp][] = [
    [
      'one migration is missing',
      `delete from _prisma_migrations where migration_name = ${LAST}`,
      /it lacks migration 20261123225139_claims_of_hubs\. Start the last version/,
    ],
    [
      'two are missing',
      `delete from _prisma_migrations where migration_name >= '20261123191316'`,
      /it lacks migration 20261123191316_names_by_id \(and 1 more\)\. Start/,
    ],
    [
      'there is one more',
      `${another} values ('x', 'x', '20261123230000_mine', now(), 1)`,
      /its migration 20261123230000_mine is unknown\. Use the version/,
    ],
    [
      'one is listed twice',
      `${another} select 'x', checksum, migration_name, now(), 1 from _prisma_migrations where migration_name = ${LAST}`,
      /it lists migration 20261123225139_claims_of_hubs twice/,
    ],
    [
      'one is of another script',
      `update _prisma_migrations set checksum = 'x' where migration_name = ${LAST}`,
      /its migration 20261123225139_claims_of_hubs is another than/,
    ],
    [
      'one did not finish',
      `update _prisma_migrations set finished_at = null where migration_name = ${LAST}`,
      /its migration 20261123225139_claims_of_hubs did not finish/,
    ],
    ['a column was added', 'alter table runs add note text', /column runs\.note is unexpected \(and 1 more\)\. Undo/],
    ['a column was dropped', 'alter table runs drop latest_metrics', /column runs\.latest_metrics is missing/],
    [
      'a column has another type',
      'alter table run_attempts alter claimed_by type varchar(200)',
      /column run_attempts\.claimed_by is another/,
    ],
    ['a column may be null', 'alter table runs alter template drop not null', /column runs\.template is another/],
    ['a column has another default', `alter table runs alter attempt set default 1`, /column runs\.attempt is another/],
    [
      'a column has another collation',
      'alter table model_meta alter policy_type type text collate "C"',
      /column model_meta\.policy_type is another/,
    ],
    ['a table was added', 'create table mine (a int, b int)', /relation mine is unexpected \(and 3 more\)/],
    ['a table was dropped', 'drop table user_code_misses', /relation user_code_misses is missing/],
    ['a table has other options', 'alter table runs set (fillfactor = 50)', /relation runs is another/],
    ['rows are secured', 'alter table runs enable row level security', /relation runs is another/],
    ['a policy was added', 'create policy mine on runs using (true)', /policy mine of runs is unexpected/],
    ['an index was dropped', 'drop index runs_facets', /index runs_facets is missing/],
    [
      'an index has another condition',
      'drop index runs_running; create index runs_running on runs (id)',
      /index runs_running is another/,
    ],
    [
      'a check was dropped',
      'alter table runs drop constraint runs_hash_form',
      /constraint runs_hash_form of runs is missing/,
    ],
    [
      'a reference does something else',
      `alter table sessions drop constraint sessions_account_id_fkey;
      alter table sessions add constraint sessions_account_id_fkey foreign key (account_id) references accounts`,
      /constraint sessions_account_id_fkey of sessions is another/,
    ],
    ['an enum has a value more', `alter type "RepoKind" add value 'world'`, /enum RepoKind is another/],
    [
      'a function does something else',
      `create or replace function refuse_change() returns trigger language plpgsql as $$ begin return new; end $$`,
      /function refuse_change\(\) is another/,
    ],
    [
      'a trigger is off',
      'alter table ledger disable trigger ledger_append_only',
      /trigger ledger_append_only of ledger is another/,
    ],
    ['a sequence counts otherwise', 'alter sequence files_id_seq increment 2', /sequence files_id_seq is another/],
    ['a view was added', 'create view mine as select id from runs', /relation mine is unexpected/],
    ['a domain was added', 'create domain mine as text', /domain mine is unexpected/],
    ['a comment was added', `comment on table runs is 'mine'`, /comment on table public\.runs is unexpected/],
    [
      'statistics were added',
      'create statistics mine on owner_id, status from runs',
      /statistics mine of runs is unexpected/,
    ],
    [
      'an operator was added',
      'create operator ### (leftarg = text, rightarg = text, function = texteq)',
      /operator public\.###\(.*\) is unexpected/,
    ],
  ]
  test.each(sampled(altered, 4))('is left as it is, and one line says what to do, if %s', async (_, change, line) => {
    await sql(change)
    const before = await state()
    const error: unknown = await migrate(url).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(NotAdoptedError)
    const said = startFailure(error, { databaseUrl: url, dataDir: '/nowhere' })
    expect(said).toMatch(line)
    expect(said).not.toContain('\n')
    expect(await state()).toEqual(before)
  })

  itOnce(
    'is adopted whatever an operator has beside the schema: grants, a setting of the database, an extension, another schema',
    async () => {
      await sql(`grant select on runs to public; alter database ${name} set search_path = 'public', 'mine'; alter database ${name} set quote_all_identifiers = on;
      create extension if not exists citext; create schema mine; create table mine.mine (a int)`)
      expect((await migrate(url))[0]).toBe(BASELINE)
    },
  )
})
