/** A hub is backed up while it runs, restored elsewhere, and gives the same answers. */
import { createHash, randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { Manifest } from '../../src/backup/manifest.ts'
import { keyColumns, otherKeyColumns } from '../../src/backup/object-keys.ts'
import { readTables } from '../../src/backup/tables.ts'
import { readConfig } from '../../src/platform/config.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { BASELINE } from '../../src/store/baseline.ts'
import { migrate } from '../../src/store/migrate.ts'
import { openDiskStore } from '../../src/store/objects/disk.ts'
import { listAsBefore, migrateToBaseline } from '../support/before-baseline.ts'
import { keptObjects, keptRows } from '../support/cases.ts'
import { otherCasing } from '../support/casing.ts'
import { runHub } from '../support/command-line.ts'
import { type Credentials, files, fillTables, fixedId, objects, paths, queries } from '../support/every-table.ts'
import { databaseUrl, onServer } from '../support/global-setup.ts'

const server = inject('databaseServerUrl')
const secret = 'a secret of more than thirty-two characters'
const log = pino({ level: 'silent' })

let dir: string
let who: Credentials
let hub: RunningHub | null = null
const databases: string[] = []

interface Deployment {
  readonly url: string
  readonly env: Readonly<Record<string, string>>
}

async function deployment(name: string): Promise<Deployment> {
  const database = `hub_test_${randomBytes(6).toString('hex')}`
  databases.push(database)
  await onServer(server, `create database ${database}`)
  const url = databaseUrl(server, database)
  const dataDir = join(dir, name)
  await mkdir(dataDir)
  return {
    url,
    env: {
      DATABASE_URL: url,
      HUB_SECRET: secret,
      HUB_DATA_DIR: dataDir,
      HOME: dir,
      PORT: '0',
      RATE_LIMIT_PER_MINUTE: '0',
    },
  }
}

async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const start = async ({ env }: Deployment) => {
  hub = await startHub(readConfig(env), log)
  return hub
}
const stop = async () => {
  await hub?.stop()
  hub = null
}

interface Answer {
  readonly ask: string
  readonly status: number
  readonly body: string
}

/** What changes from hub to hub and from request to request: addresses, signatures of object URLs, request ids. */
const lasting = (text: string, url: string) =>
  text
    .replaceAll(url, '<hub>')
    .replaceAll(/([?&](?:exp|expires|sig|signature)=)[^"&\s]+/g, '$1…')
    .replaceAll(/req_[0-9a-f-]{36}/g, 'req_…')
    .replaceAll(/"last_used_at":(?:null|"[^"]*")/g, '"last_used_at":"now"')
    .replaceAll(/"final":false,"as_of":"[^"]*"/g, '"final":false,"as_of":"now"')

async function answers(url: string): Promise<Answer[]> {
  const tokens = { anonymous: null, key: who.key, session: who.session }
  const all: Answer[] = []
  for (const [name, token] of Object.entries(tokens)) {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const asked = async (ask: string, path: string, init: RequestInit = {}) => {
      const response = await fetch(new URL(path, url), { headers, ...init })
      all.push({ ask: `${name} ${ask}`, status: response.status, body: lasting(await response.text(), url) })
    }
    for (const path of paths) await asked(path, path)
    for (const query of queries) await asked(query, '/graphql', { method: 'POST', body: JSON.stringify({ query }) })
  }
  return all
}

const objectCount = Object.keys(objects).length + Object.keys(keptObjects).length

let first: Deployment
let before: Answer[]

beforeAll(async () => {
  dir = await mkdtemp(join(inject('runDir'), 'backup-'))
  first = await deployment('first')
  await migrateToBaseline(first.url)
  who = await onDatabase(first.url, (client) => fillTables(client, secret))
  await onDatabase(first.url, listAsBefore)
})
afterAll(async () => {
  await stop()
  for (const name of databases) await onServer(server, `drop database if exists ${name} with (force)`)
  await rm(dir, { recursive: true, force: true })
})

describe('a hub from before the baseline, with rows in every table', () => {
  it('has an example of each table to show it with', async () => {
    expect((await onDatabase(first.url, readTables)).length).toBeGreaterThan(40)
    expect(await emptyTables(first.url), 'add a row of this table to test/support/every-table.ts').toEqual([])
  })

  it('is backed up by a version of that time, and the backup restores at this one', async () => {
    const made = await runHub(['backup', 'create', join(dir, 'before'), '--objects', 'none', '--json'], first.env)
    expect([made.code, made.err]).toEqual([0, expect.stringContaining('copying the database')])
    const names = await migrationsIn(join(dir, 'before'))
    expect([names.length, names.includes(BASELINE)]).toEqual([40, false])
    expect((await runHub(['backup', 'verify', join(dir, 'before'), '--load'], {})).code).toBe(0)
    const restored = await deployment('restored')
    const done = await runHub(['backup', 'restore', join(dir, 'before'), '--json'], restored.env)
    expect(JSON.parse(done.out).database.rows).toBe(JSON.parse(made.out).database.rows)
    const { rows } = await onDatabase(restored.url, (client) =>
      client.query('select migration_name as name from _prisma_migrations order by 1'),
    )
    expect(rows[0]).toEqual({ name: BASELINE })
  })

  it.each([
    [
      'lacks a migration',
      ({ migrations }) => migrations.pop(),
      /: it lacks migration 20261123225139_claims_of_hubs\. .* back it up again\.$/,
    ],
    [
      'has one more',
      ({ migrations }) => migrations.push({ name: '20261123230000_mine', sha256: 'x' }),
      /: its migration 20261123230000_mine is unknown\. /,
    ],
    ['has a column more', ({ tables }) => tables[0]?.columns.push('mine'), /: its column \w+\.mine is unexpected\. /],
    ['has a column less', ({ tables }) => tables[0]?.columns.pop(), /: its column \w+\.\w+ is missing\. /],
  ] satisfies [string, (database: Manifest['database']) => unknown, RegExp][])(
    'is refused in one line, before anything is changed, where its backup %s',
    async (what, change, line) => {
      const path = join(dir, `before, ${what}`)
      await cp(join(dir, 'before'), path, { recursive: true })
      await changeManifest(path, change)
      const kept = await deployment(what)
      await migrateToBaseline(kept.url)
      await onDatabase(kept.url, (client) =>
        client.query(`insert into accounts (id, kind, handle) values ('user_kept', 'user', 'kept')`),
      )
      const { code, err } = await runHub(['backup', 'restore', path, '--wipe', '--yes'], kept.env)
      expect(code).toBe(1)
      expect(
        err
          .trim()
          .split('\n')
          .filter((text) => text.includes('The backup is from before')),
      ).toEqual([expect.stringMatching(line)])
      const { rows } = await onDatabase(kept.url, (client) =>
        client.query(`select id, to_regclass('hub_restore.mark') as mark from accounts`),
      )
      expect(rows).toEqual([{ id: 'user_kept', mark: null }])
    },
  )

  it('is brought to this one: each migration once by two hubs that start at once, and each row answers', async () => {
    await putObjects(Object.fromEntries(Object.entries(objects).map(([key, text]) => [key, Buffer.from(text)])))
    const hubs = await Promise.all([startHub(readConfig(first.env), log), startHub(readConfig(first.env), log)])
    const applied = await onDatabase(first.url, (client) =>
      client.query('select migration_name from _prisma_migrations'),
    )
    expect(new Set(applied.rows.map((row) => row.migration_name)).size).toBe(applied.rowCount)
    const [one, other] = await Promise.all(hubs.map(({ url }) => answers(url)))
    await Promise.all(hubs.map((running) => running.stop()))
    expect(other).toEqual(one)
    const byAsk = new Map(one?.map(({ ask, ...answer }) => [ask, answer]))
    const found = (path: string) => byAsk.get(`key ${path}`)?.status
    expect(['/v1/me', '/v1/repos/lab/walks', '/v1/repos/lab/policy', '/v1/robots/ada/arm/card'].map(found)).toEqual([
      200, 200, 200, 200,
    ])
    expect(byAsk.get('session /v1/me')?.body).toContain('Ada \\\\ Lovelace')
    for (const { repo, path, text } of files)
      expect(byAsk.get(`key /v1/repos/${repo}/resolve/${encodeURI(path)}`)).toEqual({ status: 200, body: text })
  })
})

async function migrationsIn(path: string): Promise<string[]> {
  const { database } = JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8')) as Manifest
  return database.migrations.map(({ name }) => name)
}

async function putObjects(all: Readonly<Record<string, Uint8Array>>): Promise<void> {
  const store = await openDiskStore({
    dir: join(first.env.HUB_DATA_DIR ?? '', 'objects'),
    signingKey: randomBytes(32),
    baseUrl: () => 'http://127.0.0.1',
  })
  for (const [key, bytes] of Object.entries(all)) await store.put(key, bytes, { sizeBytes: bytes.byteLength })
  await store.close()
}

/** As if the backup had been made of another database: its digests are right. */
async function changeManifest(path: string, change: (database: Manifest['database']) => unknown): Promise<void> {
  const file = join(path, 'manifest.json')
  const before = await readFile(file, 'utf8')
  const manifest = JSON.parse(before) as Manifest
  change(manifest.database)
  const after = JSON.stringify(manifest)
  await writeFile(file, after)
  const sums = await readFile(join(path, 'SHA256SUMS'), 'utf8')
  const digest = (text: string) => createHash('sha256').update(text).digest('hex')
  await writeFile(join(path, 'SHA256SUMS'), sums.replace(digest(before), digest(after)))
}

/** Tables without a row. */
async function emptyTables(url: string): Promise<string[]> {
  return onDatabase(url, async (client) => {
    const empty: string[] = []
    for (const { name } of await readTables(client)) {
      const { rowCount } = await client.query(`select from "${name}" limit 1`)
      if (rowCount === 0) empty.push(name)
    }
    return empty
  })
}

describe('hub backup', () => {
  beforeAll(async () => {
    await migrate(first.url)
    await putObjects(keptObjects)
    await onDatabase(first.url, async (client) => {
      for (const text of Object.values(keptRows)) await client.query(text)
    })
  })

  it('has an example of each table that came after the baseline', async () => {
    const advice = 'Add a row of this table to `rows.kept` of test/<subject>/*.cases.ts.'
    expect(await emptyTables(first.url), advice).toEqual([])
  })

  it('knows every column that names an object', async () => {
    const named = await onDatabase(first.url, (client) =>
      client.query<{ column: string }>(
        `select table_name || '.' || column_name as column from information_schema.columns where table_schema = 'public' and column_name ~ '(^|_)key$'`,
      ),
    )
    const known = [...keyColumns.map(({ column }) => column), ...Object.keys(otherKeyColumns)]
    expect(named.rows.map(({ column }) => column).filter((column) => !known.includes(column))).toEqual([])
  })

  it('of a running hub, restored elsewhere, gives the same answers to everyone', async () => {
    const running = await start(first)
    before = await answers(running.url)
    expect(before.length).toBeGreaterThanOrEqual(100)
    const known = before.filter(({ ask }) => !ask.startsWith('anonymous'))
    const failed = known.filter(({ status, body }) => status >= 400 || body.startsWith('{"errors"'))
    expect(failed.map(({ ask, status }) => `${status} ${ask}`)).toEqual([
      '404 key /v1/repos/ada/none',
      // The check belongs to ada, and the key to lab.
      `404 key /v1/robot-checks/${fixedId('check', 1)}`,
      `404 key /v1/robot-checks/${fixedId('check', 1)}/logs/download`,
      '404 session /v1/repos/ada/none',
    ])
    const made = await runHub(['backup', 'create', join(dir, 'b.tar'), '--json'], first.env)
    expect([made.code, made.err]).toEqual([0, expect.stringContaining('copying the objects')])
    const summary = JSON.parse(made.out)
    expect(otherCasing(summary)).toEqual([])
    expect(summary.objects).toMatchObject({ mode: 'copy', count: objectCount, missing: 0 })
    await stop()

    const second = await deployment('second')
    const restored = await runHub(['backup', 'restore', join(dir, 'b.tar'), '--json'], second.env)
    expect([restored.code, restored.err]).toEqual([0, expect.stringContaining('restoring the objects')])
    expect(JSON.parse(restored.out)).toMatchObject({
      database: { rows: summary.database.rows, migrations_applied: [] },
      objects: { count: objectCount, missing: 0 },
      discarded_uploads: 1,
    })
    const again = await start(second)
    // The upload that was in progress begins again, so nothing is reserved for it.
    const expected = before.map((answer) => ({
      ...answer,
      body: answer.body.replaceAll('"reserved_bytes":5', '"reserved_bytes":0'),
    }))
    expect(await answers(again.url)).toEqual(expected)
    await stop()
  })

  it('says what is wrong with a damaged backup, and restores none of it', async () => {
    const path = join(dir, 'damaged')
    expect((await runHub(['backup', 'create', path, '--objects', 'link'], first.env)).code).toBe(0)
    expect((await runHub(['backup', 'create', path], first.env)).err).toContain('never replaces another')
    expect(await runHub(['backup', 'verify', path], {})).toMatchObject({
      code: 0,
      out: expect.stringContaining('The backup is whole.'),
    })
    const file = join(path, 'database', 'files.copy')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('meta.json', 'meta.jso_'))
    const third = await deployment('third')
    const said = 'database/files.copy is damaged: its digest differs from SHA256SUMS.'
    expect(await runHub(['backup', 'verify', path], {})).toMatchObject({ code: 1, out: expect.stringContaining(said) })
    expect(await runHub(['backup', 'restore', path], third.env)).toMatchObject({
      code: 1,
      err: expect.stringContaining(said),
    })
    expect(await onDatabase(third.url, readTables)).toEqual([])
    await writeFile(file, text)

    await rm(join(path, 'SHA256SUMS'))
    expect((await runHub(['backup', 'verify', path], {})).err).toContain(
      'This is not a complete backup of a hub: it has no SHA256SUMS.',
    )
  })

  it('replaces what a deployment has only with --wipe and a yes, and only with the secret of the backup', async () => {
    const fourth = await deployment('fourth')
    const restore = (...options: string[]) => runHub(['backup', 'restore', join(dir, 'b.tar'), ...options], fourth.env)
    const other = { ...fourth.env, HUB_SECRET: 'another secret of thirty-two characters' }
    expect((await runHub(['backup', 'restore', join(dir, 'b.tar')], other)).err).toContain(
      'HUB_SECRET is not the secret of this backup',
    )
    expect((await restore()).code).toBe(0)
    expect((await restore()).err).toContain('3 accounts, 3 repos, 4 files, 3 runs, objects on its disk')
    expect((await restore('--wipe')).err).toContain('add --yes')
    await onDatabase(fourth.url, (client) => client.query(`update accounts set name = 'changed'`))
    expect((await restore('--wipe', '--yes')).code).toBe(0)
    const names = await onDatabase(fourth.url, (client) => client.query('select name from accounts order by handle'))
    expect(names.rows[0]).toEqual({ name: 'Ada \\ Lovelace' })
    await start(fourth)
    expect((await restore('--wipe', '--yes')).err).toContain('is using this database')
    await stop()
  })
})
