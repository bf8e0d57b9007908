/** A hub on a full disk: a separate file system, which only root can mount. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'

const mount = await mkdtemp(join(tmpdir(), 'hub-full-'))
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=192m', 'tmpfs', mount]).status === 0
const filler = join(mount, 'filler')
const patiently = { timeout: 100_000, interval: 200 }

/** Fills the disk to the last byte. */
function fill(): void {
  const file = openSync(filler, 'a')
  for (let sizeBytes = 1 << 20; sizeBytes >= 1; ) {
    try {
      if (writeSync(file, Buffer.alloc(sizeBytes)) < sizeBytes) sizeBytes >>= 1
    } catch {
      sizeBytes >>= 1
    }
  }
  closeSync(file)
}

let hub: RunningHub
beforeAll(async () => {
  if (!mounted) return
  const settings = { PORT: '0', HUB_DATA_DIR: join(mount, 'data'), RATE_LIMIT_PER_MINUTE: '0' }
  hub = await startHub(readConfig(settings), pino({ level: 'silent' }))
})

afterAll(async () => {
  rmSync(filler, { force: true })
  await hub?.stop()
  if (mounted) spawnSync('umount', ['-l', mount])
  await rm(mount, { recursive: true, force: true })
})

async function call(method: string, path: string, body?: unknown) {
  const answer = await fetch(new URL(path, hub.url), {
    method,
    headers: {
      authorization: `Bearer ${hub.operatorToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, type: answer.headers.get('content-type'), json: text ? JSON.parse(text) : null }
}

const ready = () => call('GET', '/readyz')

describe('a full disk', needs(!mounted && 'this user may mount no file system of its own'), () => {
  const bytes = Buffer.alloc(2 << 20, 'x')
  const sha256 = createHash('sha256').update(bytes).digest('hex')

  it('is a 503 Problem for uploads and in /readyz, and recovers once there is space', async () => {
    expect(await ready()).toMatchObject({ status: 200 })
    expect((await call('POST', '/v1/repos', { kind: 'dataset', slug: 'big', visibility: 'public' })).status).toBe(201)
    const presigned = await call('POST', '/v1/repos/hub/big/files/presign-upload', {
      files: [{ path: 'a.bin', size: bytes.length, sha256 }],
    })
    const url = presigned.json.uploads[0].parts[0].url
    fill()
    const put = await fetch(url, { method: 'PUT', body: bytes })
    expect(put.status).toBe(503)
    expect(put.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(((await put.json()) as { detail: string }).detail).toBe(
      'The disk of the object store is full, so nothing was kept; its operator has to make room.',
    )
    expect(await ready()).toMatchObject({ status: 503, json: { status: 'unavailable', object_store: 'full' } })
    rmSync(filler)
    expect((await fetch(url, { method: 'PUT', body: bytes })).status).toBe(200)
    expect(await ready()).toMatchObject({ status: 200, json: { object_store: 'ok' } })
  })

  it('is a 503 Problem for rows, never a 500, and loses nothing acknowledged', async () => {
    fill()
    const made: string[] = []
    const refused = []
    // Each row fills a page, so the free space in existing pages is soon used up.
    for (let at = 0; at < 400 && refused.length < 5; at += 1) {
      const body = { kind: 'dataset', slug: `row-${at}`, visibility: 'public', description: `${at} `.repeat(700) }
      const answer = await call('POST', '/v1/repos', body)
      if (answer.status === 201) made.push(body.slug)
      else refused.push(answer)
    }
    expect(refused).not.toHaveLength(0)
    for (const { status, type, json } of refused) {
      expect([status, type, json.type]).toEqual([
        503,
        expect.stringMatching(/^application\/problem\+json/),
        '/problems/unavailable',
      ])
    }
    expect((await ready()).status).toBe(503)
    rmSync(filler)
    await expect.poll(async () => (await ready()).status, patiently).toBe(200)
    for (const slug of made) expect((await call('GET', `/v1/repos/hub/${slug}`)).status).toBe(200)
    expect((await call('POST', '/v1/repos', { kind: 'dataset', slug: 'after' })).status).toBe(201)
  })
})
