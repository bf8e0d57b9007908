/** Restores into a deployment that has something: what is its only copy stays, and no hub is overlooked. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createBackup } from '../../src/backup/create-backup.ts'
import { parseObjectLine } from '../../src/backup/manifest.ts'
import type { ObjectMode } from '../../src/backup/object-modes.ts'
import { putObjects, storePutter } from '../../src/backup/objects-in.ts'
import { type RestoreBackup, restoreBackup } from '../../src/backup/restore-backup.ts'
import { openSource } from '../../src/backup/source.ts'
import { type Config, readConfig } from '../../src/platform/config.ts'
import { openDb } from '../../src/store/db.ts'
import { openDiskStore } from '../../src/store/objects/disk.ts'
import { openQueue } from '../../src/store/queue.ts'
import { cloneTemplate } from '../support/database.ts'
import { startObjectServer } from '../support/object-server.ts'

const steps = { begin: (_step: string) => {}, at: () => undefined, note: () => undefined }
const KEY = 'blobs/00/one'
let dir: string
let databaseUrl: string
let drop: () => Promise<void>
let config: Config
let objects: string

const sql = async (text: string) => {
  const db = openDb({ url: databaseUrl, poolMax: 1, isOfRestore: true })
  try {
    return (await db.query<{ name: string }>({ name: '', text })).map(({ name }) => name)
  } finally {
    await db.close()
  }
}
const accounts = () => sql('select handle as name from accounts order by handle')
const backup = async (mode: ObjectMode) => {
  const to = join(dir, mode)
  await createBackup({ config, databaseUrl, to, mode, steps })
  return to
}
const restore = (from: string, confirm: RestoreBackup['confirm'] = async () => true, begin = steps.begin) =>
  restoreBackup({ config, databaseUrl, from, wipe: true, confirm, steps: { ...steps, begin } })
/** What is in the folder of the one object: a file, or the folder that a restore makes of it. */
const stored = () => readdir(join(objects, 'objects', 'blobs', '00')).catch(() => [])
const besides = async () => (await readdir(dir)).filter((name) => name.startsWith('objects.'))

beforeAll(async () => {
  dir = await mkdtemp(join(inject('runDir'), 'in-place-'))
  ;({ url: databaseUrl, drop } = await cloneTemplate())
  const HUB_SECRET = 'a secret of more than thirty-two characters'
  config = readConfig({ HUB_DATA_DIR: dir, DATABASE_URL: databaseUrl, HUB_SECRET })
  objects = join(dir, 'objects')
  const store = await openDiskStore({ dir: objects, signingKey: randomBytes(32), baseUrl: () => '' })
  const { etag } = await store.put(KEY, Buffer.from('the only copy'), { sizeBytes: 13 })
  await store.close()
  await sql(`insert into accounts (id, kind, handle) values ('user_ada', 'user', 'ada')`)
  await sql(
    `insert into blobs (id, storage_key, size, etag, claimed) values ('blob_1', '${KEY}', 13, '${etag}', repeat('a', 64))`,
  )
})
afterAll(async () => {
  await drop()
  await rm(dir, { recursive: true, force: true })
})

describe('a backup without the bytes of the objects', () => {
  const title = 'leaves them where they are when it is restored; a hub without connections gets none back meanwhile'
  it(title, async () => {
    const before = await stored()
    expect(before).toEqual(['one@'])
    const hub = openDb({ url: databaseUrl, poolMax: 2 })
    const ping = () => hub.query({ name: '', text: 'select 1 as one' })
    const tries: Promise<unknown>[] = []
    const begin = (step: string) => {
      if (step !== 'loading the database') return
      const queue = openQueue({ url: databaseUrl, log: pino({ level: 'silent' }) })
      tries.push(...[ping(), hub.withTx(async () => undefined), queue].map((one) => one.catch((error) => error)))
    }
    try {
      expect((await restore(await backup('none'), undefined, begin)).objects).toBeNull()
      const refused = { type: 'unavailable', message: expect.stringContaining('is being restored') }
      expect(await Promise.all(tries)).toMatchObject([refused, refused, refused])
      expect(await ping()).toEqual([{ one: 1 }])
    } finally {
      await hub.close()
    }
    expect(await stored()).toEqual(before)
    expect(await accounts()).toEqual(['ada'])
  })

  it('brings back what a restore of another backup had put aside when it was killed', async () => {
    const from = await backup('list')
    const before = await stored()
    const aside = `${objects}.before-restore-1`
    await rename(objects, aside)
    await sql('create schema hub_restore')
    await sql('create table hub_restore.mark (begun_at timestamptz not null default now(), aside text)')
    await sql(`insert into hub_restore.mark (aside) values ('${aside}')`)
    await expect(backup('copy')).rejects.toThrow('a backup of it would be incomplete')
    expect((await restore(from)).objects).toMatchObject({ count: 1, missingCount: 0 })
    expect(await stored()).toEqual(before)
    expect(await besides()).toEqual([])
  })
})

describe('a restore into a store that cannot be emptied', () => {
  it('replaces an object of the same size and other bytes, and sends none that fits again', async () => {
    const server = await startObjectServer()
    const from = await backup('copy')
    const source = await openSource(from)
    try {
      const { store } = server
      let sent = 0
      const counting: typeof store = {
        ...store,
        put: (...given) => {
          sent += 1
          return store.put(...given)
        },
      }
      await store.put(KEY, Buffer.from('other bytes..'), { sizeBytes: 13 })
      for (const times of [1, 1]) {
        await putObjects(source, storePutter(counting, source), steps)
        expect(Buffer.concat(await (await store.get(KEY)).body.toArray()).toString()).toBe('the only copy')
        expect(sent).toBe(times)
      }
    } finally {
      await source.close()
      await server.close()
      await rm(from, { recursive: true })
    }
  })
})

describe('a restore', () => {
  it('changes nothing if a hub started while the person was asked', async () => {
    const from = await backup('copy')
    await sql(`update accounts set handle = 'since'`)
    const hub = openDb({ url: databaseUrl, poolMax: 1 })
    try {
      const asked = async () => {
        await hub.query({ name: '', text: 'select 1' })
        return true
      }
      await expect(restore(from, asked)).rejects.toThrow('is using this database')
      expect(await accounts()).toEqual(['since'])
      expect(await stored()).toEqual(['one@'])
      expect(await sql(`select nspname as name from pg_namespace where nspname = 'hub_restore'`)).toEqual([])
    } finally {
      await hub.close()
    }
  })
})

describe('a backup made to do harm', () => {
  it('names no object outside of the store', () => {
    const line = (key: string) =>
      JSON.stringify({ key, size_bytes: 1, etag: 'x', content_type: null, sha256: null, parts: [] })
    expect(parseObjectLine(line(KEY)).key).toBe(KEY)
    for (const key of ['../x', 'blobs/../../x', './x', 'blobs/..', '/etc', 'a//b'])
      expect(() => parseObjectLine(line(key)), key).toThrow('objects.jsonl')
  })
})
