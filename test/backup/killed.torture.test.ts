// @module-tag full
// @module-tag long
/** Backups and restores that are killed, on the embedded database: what is left is never taken for whole, and the next one succeeds. */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { access, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { startHub } from '../../src/start-hub.ts'
import { openDb } from '../../src/store/db.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts'
import { openDiskStore } from '../../src/store/objects/disk.ts'
import { RESTORE_MARK } from '../../src/store/restore-mark.ts'
import { runHub } from '../support/command-line.ts'
import { cloneTemplate } from '../support/database.ts'

const entry = fileURLToPath(new URL('../../src/operator/hub.ts', import.meta.url))
const log = pino({ level: 'silent' })
const OBJECTS = 300
let dir: string

const env = (name: string) => ({
  PATH: process.env.PATH ?? '',
  HOME: dir,
  HUB_DATA_DIR: join(dir, name),
  PORT: '0',
  GC_GRACE_S: '0',
})
const hub = (name: string, ...args: string[]) => runHub(args, env(name))

/** Runs the command as a process of its own and kills it once it has said `line` on standard error. */
function killedAt(name: string, line: string, ...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [entry, ...args], { env: env(name) }, () =>
      child.signalCode === 'SIGKILL' ? resolve() : reject(new Error(`It ended without: ${line}`)),
    )
    let said = ''
    child.stderr?.on('data', (text) => {
      said += text
      if (said.includes(line)) child.kill('SIGKILL')
    })
  })
}

/** A hub with many files, and its rows of the first and the last. */
async function fill(name: string): Promise<void> {
  const { url, stop } = await startEmbeddedPostgres({ dataDir: join(dir, name) })
  const db = openDb({ url, poolMax: 2 })
  const store = await openDiskStore({ dir: join(dir, name, 'objects'), signingKey: randomBytes(32), baseUrl: () => '' })
  await db.query({
    name: '',
    text: `insert into repos (id, owner_id, slug, kind, visibility) select 'repo_1', id, 'many', 'dataset', 'public' from accounts`,
  })
  for (let at = 0; at < OBJECTS; at += 1) {
    const bytes = randomBytes(20_000)
    const key = `blobs/${String(at % 7).padStart(2, '0')}/${at}`
    // From a stream it is a folder of parts, from memory one file.
    const body = at % 7 === 1 ? Readable.from([bytes]) : bytes
    const { etag } = await store.put(key, body, { sizeBytes: bytes.byteLength })
    const insert = `insert into blobs (id, storage_key, size, etag, claimed) values ($1, $2, $3, $4, repeat('a', 64))`
    await db.query({ name: '', text: insert }, [`blob_${at}`, key, bytes.byteLength, etag])
    const file = `insert into files (repo_id, path, from_seq, blob_id) values ('repo_1', $1, 1, $2)`
    await db.query({ name: '', text: file }, [`f${at}`, `blob_${at}`])
  }
  // Past what one read of COPY brings.
  await db.query({
    name: '',
    text: `insert into run_metrics (run_id, seq, attempt, line) select 'run_x', n, 1, json_build_object('n', n) from generate_series(1, 100000) n`,
  })
  await store.close()
  await db.close()
  await stop()
}

beforeAll(async () => {
  dir = await mkdtemp(join(inject('runDir'), 'killed-'))
  await (await startHub(readConfig(env('old')), log)).stop()
  await fill('old')
})
afterAll(() => rm(dir, { recursive: true, force: true }))

describe('hub backup', () => {
  it('that is killed leaves nothing that looks like one, and the next one replaces its rest', async () => {
    for (const path of [join(dir, 'half'), join(dir, 'half.tar')]) {
      await killedAt('old', 'copying the database', 'backup', 'create', path)
      expect(await readdir(dir)).toContain(`.${basename(path)}.partial`)
      await expect(access(path)).rejects.toThrow()
    }
    expect((await hub('old', 'backup', 'create', join(dir, 'half'))).code).toBe(0)
    expect((await hub('old', 'backup', 'create', join(dir, 'half.tar'))).code).toBe(0)
    expect((await readdir(dir)).filter((name) => name.includes('partial'))).toEqual([])
    expect(await hub('old', 'backup', 'verify', join(dir, 'half.tar'), '--load')).toMatchObject({ code: 0 })
    expect(((await stat(join(dir, 'half', 'secret'))).mode & 0o777).toString(8)).toBe('600')
  })

  it('misses no object of its snapshot while files are deleted and collected', async () => {
    const running = await startHub(readConfig(env('old')), log)
    try {
      const { db } = running.deps
      const collect = async () => {
        for (let at = 0; at < OBJECTS; at += 10) {
          const close = `update files set to_seq = 2, closed_at = now() where path = $1`
          await db.query({ name: '', text: close }, [`f${at}`])
          if (at % 50 !== 0) continue
          await db.withTx((tx) => running.deps.queue.send(tx, 'files-collect', {}, { singletonKey: `now-${at}` }))
          await pause(100)
        }
      }
      const collecting = collect()
      for (const number of [1, 2, 3]) {
        const made = await hub('old', 'backup', 'create', join(dir, `live-${number}`), '--json')
        expect([made.code, JSON.parse(made.out).objects.missing]).toEqual([0, 0])
        expect((await hub('old', 'backup', 'verify', join(dir, `live-${number}`))).code).toBe(0)
      }
      await collecting
      // Held deletions are made up for.
      const left = () => db.query<{ n: number }>({ name: '', text: `select count(*)::int as n from blobs` })
      await db.withTx((tx) => running.deps.queue.send(tx, 'files-collect', {}, { singletonKey: 'last' }))
      await expect.poll(async () => (await left())[0]?.n, { timeout: 100_000 }).toBe(OBJECTS - OBJECTS / 10)
    } finally {
      await running.stop()
    }
  })

  it('of a damaged object fails and leaves nothing', async () => {
    const [folder = ''] = await readdir(join(dir, 'old', 'objects', 'objects', 'blobs', '01'))
    const object = join(dir, 'old', 'objects', 'objects', 'blobs', '01', folder)
    const part = (await readdir(object)).find((name) => name !== 'object.json') ?? ''
    const bytes = await readFile(join(object, part))
    await writeFile(join(object, part), Buffer.concat([bytes.subarray(1), Buffer.from('x')]))
    const made = await hub('old', 'backup', 'create', join(dir, 'of-damaged'))
    expect([made.code, made.err]).toEqual([1, expect.stringContaining('is damaged')])
    await expect(access(join(dir, 'of-damaged'))).rejects.toThrow()
    await writeFile(join(object, part), bytes)
  })

  it('of a damaged object that is one file fails as well', async () => {
    const folder = join(dir, 'old', 'objects', 'objects', 'blobs', '02')
    const [name = ''] = await readdir(folder)
    const bytes = await readFile(join(folder, name))
    await writeFile(join(folder, name), Buffer.concat([bytes.subarray(0, -1), Buffer.of((bytes.at(-1) ?? 0) ^ 1)]))
    const made = await hub('old', 'backup', 'create', join(dir, 'of-damaged'))
    expect([made.code, made.err]).toEqual([1, expect.stringContaining('is damaged')])
    await writeFile(join(folder, name), bytes)
  })
})

describe('hub backup restore', () => {
  it('that is killed starts again, and no hub starts in between', async () => {
    const backup = join(dir, 'half.tar')
    const make = await startHub(readConfig(env('new')), log)
    await make.stop()
    // The line of a step is said at its end: while the database is loaded, then while the objects are restored.
    const restore = ['backup', 'restore', backup, '--wipe', '--yes'] as const
    await killedAt('new', 'checking the objects', ...restore)
    // Before the mark nothing has changed, and the hub starts; after it none does.
    await startHub(readConfig(env('new')), log).then(
      ({ stop }) => stop(),
      (error) => expect(error.message).toContain('did not finish'),
    )
    await killedAt('new', 'loading the database', ...restore)
    await expect(startHub(readConfig(env('new')), log)).rejects.toThrow('did not finish')
    const restored = await hub('new', 'backup', 'restore', backup, '--wipe', '--yes', '--json')
    expect([restored.code, JSON.parse(restored.out).objects]).toMatchObject([0, { count: OBJECTS, missing: 0 }])
    expect((await readdir(join(dir, 'new'))).sort()).toEqual(expect.arrayContaining(['objects', 'postgres', 'secret']))
    expect((await readdir(join(dir, 'new'))).filter((name) => name.includes('before-restore'))).toEqual([])
    expect(await readFile(join(dir, 'new', 'secret'), 'utf8')).toBe(await readFile(join(dir, 'old', 'secret'), 'utf8'))
    const again = await hub('new', 'backup', 'create', join(dir, 'again'), '--json')
    expect([again.code, JSON.parse(again.out).objects]).toMatchObject([0, { count: OBJECTS, missing: 0 }])
  })

  it('that is killed right after its mark has removed nothing; no hub starts, and the next one comes to its end', async () => {
    const { url, drop } = await cloneTemplate()
    const target = {
      ...env('marked'),
      DATABASE_URL: url,
      HUB_SECRET: (await readFile(join(dir, 'old', 'secret'), 'utf8')).trim(),
    }
    const restore = ['backup', 'restore', join(dir, 'half.tar'), '--wipe', '--yes', '--json']
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const one = async (text: string) => Object.values((await client.query(text)).rows[0] ?? {})[0]
    try {
      await client.query(`insert into accounts (id, kind, handle) values ('user_before', 'user', 'before')`)
      // Emptying the database waits for this reader.
      await client.query('begin; lock table accounts in access share mode')
      const child = spawn(process.execPath, [entry, ...restore], { env: target, stdio: 'ignore' })
      const ended = once(child, 'exit')
      const marks = `select count(*)::int from pg_tables where schemaname || '.' || tablename = '${RESTORE_MARK}'`
      await expect.poll(() => one(marks), { timeout: 100_000 }).toBe(1)
      child.kill('SIGKILL')
      await ended
      await client.query('rollback')
      const others = `select count(*)::int from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
      await expect.poll(() => one(others), { timeout: 100_000 }).toBe(0)
      expect(await one(`select handle from accounts where id = 'user_before'`)).toBe('before')
      await expect(startHub(readConfig(target), log)).rejects.toThrow('did not finish')
      const restored = await runHub(restore, target)
      expect([restored.code, JSON.parse(restored.out).objects]).toMatchObject([0, { count: OBJECTS, missing: 0 }])
      expect(restored.err).toContain('An earlier restore did not finish; it starts again.')
      expect(await one(`select count(*)::int from accounts where id = 'user_before'`)).toBe(0)
      await (await startHub(readConfig(target), log)).stop()
    } finally {
      await client.end()
      await drop()
    }
  })
})
