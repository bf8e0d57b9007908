/** The backup of a data folder from docs/operations.md, restored into an empty one. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { startFailure } from '../../src/start-failure.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'

const tar = (...args: string[]) => promisify(execFile)('tar', args)
let dir: string
let hub: RunningHub | null = null

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hub-backup-'))
})
afterAll(async () => {
  await hub?.stop()
  await rm(dir, { recursive: true, force: true })
})

const config = (folder: string) => readConfig({ PORT: '0', HUB_DATA_DIR: join(dir, folder) })
const start = (folder: string) => startHub(config(folder), pino({ level: 'silent' }))

it('a restored backup has its files and keys; without the secret the hub says what is missing', async () => {
  hub = await start('old')
  const session = hub.operatorToken
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${session}`, 'content-type': 'application/json' }
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    return fetch(new URL(path, hub?.url), { method, headers, ...init })
  }
  const bytes = 'bytes that are worth a backup'
  await send('POST', '/v1/repos', { kind: 'dataset', slug: 'kept' })
  const file = { path: 'a.txt', size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  const presigned = await (await send('POST', '/v1/repos/hub/kept/files/presign-upload', { files: [file] })).json()
  const [upload] = (presigned as { uploads: { upload_id: string; parts: { url: string }[] }[] }).uploads
  const part = await fetch(upload?.parts[0]?.url ?? '', { method: 'PUT', body: bytes })
  const parts = [{ part_number: 1, etag: part.headers.get('etag') }]
  const done = await send('POST', '/v1/repos/hub/kept/files/complete', {
    uploads: [{ path: 'a.txt', upload_id: upload?.upload_id, parts }],
  })
  expect(done.status).toBe(200)
  await hub.stop()
  hub = null

  await tar('-cpf', join(dir, 'hub.tar'), '-C', join(dir, 'old'), '.')
  await rm(join(dir, 'old'), { recursive: true })
  await mkdir(join(dir, 'new'))
  await tar('-xpf', join(dir, 'hub.tar'), '-C', join(dir, 'new'))
  hub = await start('new')
  expect(hub.operatorToken).toBeNull()
  expect((await send('GET', '/v1/me')).status).toBe(200)
  expect(await (await send('GET', '/v1/repos/hub/kept/resolve/a.txt')).text()).toBe(bytes)
  await hub.stop()
  hub = null

  await rm(join(dir, 'new', 'secret'))
  const said = await start('new').then(
    () => null,
    (error: unknown) => startFailure(error, config('new')),
  )
  expect(said).toContain(join(dir, 'new', 'secret'))
  expect(said).toContain('restore that file from the same backup')
  // A wrong one in its place would hide from the next start, and from a restore that keeps what is there, that it is missing.
  expect(await readdir(join(dir, 'new'))).not.toContain('secret')
})
