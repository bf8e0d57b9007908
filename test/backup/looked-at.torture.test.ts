/** Loading a backup is no change: what a trigger does for a row that is written is not done for one that is loaded. */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { createBackup } from '../../src/backup/create-backup.ts'
import { restoreBackup } from '../../src/backup/restore-backup.ts'
import { verifyBackup } from '../../src/backup/verify-backup.ts'
import { readConfig } from '../../src/platform/config.ts'
import { openDb } from '../../src/store/db.ts'
import { cloneTemplate } from '../support/database.ts'

const steps = { begin: () => {}, at: () => undefined, note: () => undefined }
let dir: string
let databaseUrl: string
let drop: () => Promise<void>
const sql = async <Row extends object>(text: string) => {
  const db = openDb({ url: databaseUrl, poolMax: 1, isOfRestore: true })
  try {
    return await db.query<Row>({ name: '', text })
  } finally {
    await db.close()
  }
}
const marks = () => sql('select check_due_at, check_owner_id from dataset_meta')
const triggersOff = () =>
  sql(`select tgname from pg_trigger where not tgisinternal and tgenabled <> 'O' and tgrelid::regclass::text <> ''`)

beforeAll(async () => {
  dir = await mkdtemp(join(inject('runDir'), 'looked-at-'))
  ;({ url: databaseUrl, drop } = await cloneTemplate())
})
afterAll(async () => {
  await drop()
  await rm(dir, { recursive: true, force: true })
})

it('a data set that was looked at today is whole in a backup, and is not to be looked at again', async () => {
  await sql(`insert into accounts (id, kind, handle) values ('user_ada', 'user', 'ada')`)
  await sql(
    `insert into repos (id, kind, owner_id, slug, visibility) values ('repo_d', 'dataset', 'user_ada', 'd', 'public')`,
  )
  await sql(`insert into dataset_meta (repo_id, episode_count, total_frames) values ('repo_d', 1, 300)`)
  await sql('update dataset_meta set check_due_at = null, check_owner_id = null')
  expect(await marks()).toEqual([{ check_due_at: null, check_owner_id: null }])
  const HUB_SECRET = 'a secret of more than thirty-two characters'
  const config = readConfig({ HUB_DATA_DIR: join(dir, 'data'), DATABASE_URL: databaseUrl, HUB_SECRET })
  const to = join(dir, 'backup')
  await createBackup({ config, databaseUrl, to, mode: 'none', steps })
  expect((await verifyBackup({ from: to, load: true, steps })).faults).toEqual([])

  await restoreBackup({ config, databaseUrl, from: to, wipe: true, confirm: async () => true, steps })
  expect(await marks()).toEqual([{ check_due_at: null, check_owner_id: null }])
  expect(await triggersOff()).toEqual([])
})
