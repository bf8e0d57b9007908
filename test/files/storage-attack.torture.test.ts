/**
 * The storage quota under attack: whatever a client sends to its presigned URLs, the disk never holds more than was reserved, except for the few parts
 * that are being sent at that moment. Bytes are counted in the files themselves while the requests run.
 */
import { randomBytes } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { type ClientRequest, request } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { MAX_OF_SENDER } from '../../src/store/objects/disk-writers.ts'
import { contractHub, newName, type Person, sha256Of, types } from '../support/hub.ts'

// Its store is weighed: jobs of what other files left behind would add to it.
const hub = contractHub({}, { alone: true })
let mallory: Person
let repo: string

/** Room for the documents next to the parts. */
const SMALL_BYTES = 16 * 1024
const MIB = 1024 * 1024

beforeAll(async () => {
  mallory = await hub.person()
  repo = await hub.repo(mallory)
})

interface Target {
  readonly upload_id: string
  readonly url: string
}

async function presign(sizes: readonly number[]): Promise<Target[]> {
  const files = sizes.map((size) => ({ path: newName('file'), size, sha256: sha256Of(newName()) }))
  const answer = await hub.call(mallory, 'POST', `/v1/repos/${repo}/files/presign-upload`, { files })
  expect([answer.status, answer.json.errors]).toEqual([200, undefined])
  return answer.json.uploads.map((upload: { upload_id: string; parts: { url: string }[] }) => ({
    upload_id: upload.upload_id,
    url: upload.parts[0]?.url,
  }))
}

const abort = (target: Target) =>
  hub.call(mallory, 'DELETE', `/v1/repos/${repo}/files/uploads/${target.upload_id}`).then((answer) => answer.status)

function storeDir(...below: string[]): string {
  const { objectStore } = hub.running.deps.config
  if (objectStore.kind !== 'disk') throw new Error('The attack is on the disk store.')
  return join(objectStore.dir, ...below)
}

/** Bytes of all files below a folder; a file deleted meanwhile counts as nothing. */
async function bytesIn(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(
    files.map((file) =>
      stat(join(file.parentPath, file.name)).then(
        (found) => found.size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The most that lay on the disk while `work` ran. */
async function peakDuring(work: Promise<unknown>): Promise<number> {
  let peak = 0
  const over = work.then(() => true)
  for (let isOver = false; !isOver; ) {
    peak = Math.max(peak, await bytesIn(storeDir()))
    isOver = await Promise.race([over, new Promise<false>((resolve) => setImmediate(() => resolve(false)))])
  }
  return peak
}

/** A PUT whose body starts and never ends. */
function beginPut(url: string, announced: number, bytes: Uint8Array): { put: ClientRequest; status: Promise<number> } {
  const put = request(url, { method: 'PUT', headers: { 'content-length': announced } })
  const status = new Promise<number>((resolve) => {
    put.on('response', (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    put.on('error', () => resolve(0))
  })
  put.write(bytes)
  return { put, status }
}

describe('a part URL', () => {
  it('accepts its one byte and not 4 MiB: 20 of them store 20 bytes', async () => {
    const targets = await presign(Array.from({ length: 20 }, () => 1))
    const before = await bytesIn(storeDir())
    const body = randomBytes(4 * MIB)
    const chunked = (): RequestInit & { duplex: 'half' } => ({
      method: 'PUT',
      duplex: 'half',
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(body)
          controller.close()
        },
      }),
    })
    const attack = Promise.all(
      targets.flatMap(({ url }) => [fetch(url, { method: 'PUT', body }), fetch(url, chunked())]),
    )
    const peak = await peakDuring(attack)
    // Of two PUTs of one part the earlier may be told of the later one.
    for (const answer of await attack) expect([409, 413]).toContain(answer.status)
    expect(peak - before).toBeLessThan(SMALL_BYTES)
    const left = await Promise.all(targets.map(({ url }) => hub.put(url, 'x').then((answer) => answer.status)))
    expect(left).toEqual(targets.map(() => 200))
    expect((await bytesIn(storeDir())) - before).toBe(20)
    expect(await Promise.all(targets.map(abort))).toEqual(targets.map(() => 204))
  })

  it('has one PUT at a time: of ten that never end, nine are ended', async () => {
    const before = await bytesIn(storeDir())
    const [target] = (await presign([2 * MIB])) as [Target]
    const puts = Array.from({ length: 10 }, () => beginPut(target.url, 2 * MIB, randomBytes(MIB)))
    let refused = 0
    for (const { status } of puts) void status.then((code) => (refused += code === 409 ? 1 : 0))
    await expect.poll(() => refused).toBe(9)
    await expect.poll(() => bytesIn(storeDir('tmp'))).toBeGreaterThan(1000)
    expect((await bytesIn(storeDir())) - before).toBeLessThan(2 * MIB + SMALL_BYTES)
    expect(await abort(target)).toBe(204)
    await Promise.all(puts.map(({ status }) => status))
    for (const { put } of puts) put.destroy()
    await expect.poll(() => bytesIn(storeDir())).toBeLessThanOrEqual(before)
  })

  it('ends with its upload, even during a PUT: its bytes are deleted with the reservation', async () => {
    const before = await bytesIn(storeDir())
    const [target] = (await presign([2 * MIB])) as [Target]
    const { put, status } = beginPut(target.url, 2 * MIB, randomBytes(MIB + MIB / 2))
    await expect.poll(() => bytesIn(storeDir('tmp'))).toBeGreaterThan(MIB / 2)
    expect(await abort(target)).toBe(204)
    expect(await bytesIn(storeDir())).toBe(before)
    expect(await status).toBe(404)
    put.destroy()
    expect((await hub.put(target.url, randomBytes(2 * MIB))).status).toBe(404)
    expect(await bytesIn(storeDir())).toBe(before)
  })

  it('is on the disk twice while it is sent again, but only few are at a time', async () => {
    const before = await bytesIn(storeDir())
    const count = MAX_OF_SENDER + 4
    const targets = await presign(Array.from({ length: count }, () => MIB))
    for (const { url } of targets) expect((await hub.put(url, randomBytes(MIB))).status).toBe(200)
    const again = targets.map(({ url }) => beginPut(url, MIB, randomBytes(MIB - 1)))
    let busy = 0
    for (const { status } of again) void status.then((code) => (busy += code === 429 ? 1 : 0))
    await expect.poll(() => busy).toBe(4)
    expect((await bytesIn(storeDir())) - before).toBeLessThan((count + MAX_OF_SENDER) * MIB + SMALL_BYTES)
    expect(await Promise.all(targets.map(abort))).toEqual(targets.map(() => 204))
    for (const { put } of again) put.destroy()
    await expect.poll(() => bytesIn(storeDir())).toBeLessThanOrEqual(before)
  })

  it('counts its requests: a part that is sent too often is 429', async () => {
    const [target] = (await presign([1])) as [Target]
    const statuses: number[] = []
    for (let i = 0; i < 21; i += 1) statuses.push((await hub.put(target.url, 'x')).status)
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429])
    const refused = await hub.put(target.url, 'x')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await abort(target)).toBe(204)
  })
})

describe('pending uploads', () => {
  it('are at most 10,000 per owner, empty ones included: one more is 429 and leaves nothing', async () => {
    const owner = await hub.person()
    const name = await hub.repo(owner)
    const file = (path: string) => ({ path, size: 0, sha256: sha256Of('') })
    const ask = (paths: readonly string[]) =>
      hub.call(owner, 'POST', `/v1/repos/${name}/files/presign-upload`, { files: paths.map(file) })
    await hub.sql('update accounts set pending_uploads = 9998 where id = $1', [owner.id])
    const folders = (await readdir(storeDir('uploads'))).length
    const refused = await ask(['a', 'b', 'c'])
    expect([refused.status, types(refused)]).toEqual([429, ['quota.uploads']])
    expect(refused.json.errors[0]).toMatchObject({ pending_uploads: 9998, limit_uploads: 10_000, requested_uploads: 3 })
    expect(await readdir(storeDir('uploads'))).toHaveLength(folders)
    const taken = await ask(['a', 'b'])
    expect(taken.status).toBe(200)
    expect((await ask(['c'])).status).toBe(429)
    // The pending ones are found again.
    expect((await ask(['a', 'b'])).status).toBe(200)
    const race = await Promise.all(['d', 'e', 'f'].map((path) => ask([path])))
    expect(race.map(({ status }) => status)).toEqual([429, 429, 429])
    expect(await readdir(storeDir('uploads'))).toHaveLength(folders + 2)
    const page = await hub.send(null, 'GET', '/problems/quota.uploads')
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('pending')])
  })

  it('are released by completion and by abort, and a recount agrees', async () => {
    const owner = await hub.person()
    const name = await hub.repo(owner)
    const pending = async () => {
      const [row] = await hub.sql<{ counted: number; found: number }>(
        `select pending_uploads as counted, (select count(*)::int from uploads u where u.owner_id = a.id
           and u.state in ('pending', 'completing', 'assembled')) as found from accounts a where id = $1`,
        [owner.id],
      )
      expect(row?.counted).toBe(row?.found)
      return row?.counted
    }
    const [one, two] = [await hub.sendFile(owner, name, 'one', 'one'), await hub.sendFile(owner, name, 'two', '')]
    const three = await hub.sendFile(owner, name, 'three', 'three')
    expect(await pending()).toBe(3)
    expect((await hub.complete(owner, name, [one, two])).status).toBe(200)
    expect(await pending()).toBe(1)
    expect((await hub.call(owner, 'DELETE', `/v1/repos/${name}/files/uploads/${three.upload_id}`)).status).toBe(204)
    expect(await pending()).toBe(0)
    const wrong = await hub.sendFile(owner, name, 'wrong', 'bytes', { sha256: sha256Of('other') })
    expect(types(await hub.complete(owner, name, [wrong]))).toEqual(['upload.sha256_mismatch'])
    expect(await pending()).toBe(0)
  })
})
