// @module-tag long
/**
 * A hub that dies, or one process of it, while it completes uploads: the same request succeeds at once, at another hub
 * of the database and at the one that is back.
 */
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { isFull } from '@hub/testing/torture'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { deaths, die, untilAllServe } from '../support/hub-deaths.ts'
import { isThere, killableHub, stop } from '../support/killable-hub.ts'

/** Each is two starts of a hub. */
const ROUNDS = isFull ? 12 : 2
const FILES = 40
/** The largest has two parts, which a client asks for; one above 100 MiB would only take longer. */
const LARGE_BYTES = 9 << 20
const PART_BYTES = 8 << 20
/** A completion that another holds is refused after 2 s, and its lease lasts 60 s: what waited for that is above this. */
const AT_ONCE_MS = 45_000

const { database, made, start } = killableHub()
const sql = <T>(text: string, values: unknown[] = []) => database.db.query<T>({ name: '', text }, values)

type Json = ReturnType<typeof JSON.parse>

async function call(url: string, path: string, body: object, key: string | null) {
  const headers = {
    authorization: `Bearer ${made.token}`,
    'content-type': 'application/json',
    ...(key && { 'idempotency-key': key }),
  }
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, json: (await response.json()) as Json }
}

/** Sends the parts of files of a new repo, and returns what their completion names. */
async function sent(slug: string): Promise<{ path: string; bytes: number; body: object }> {
  const repo = `ada/${slug}`
  expect((await call(made.url, '/v1/repos', { kind: 'dataset', slug }, null)).status).toBe(201)
  const contents = Array.from({ length: FILES }, (_, at) => randomBytes(at === 0 ? LARGE_BYTES : 1 + at * 2000))
  const files = contents.map((bytes, at) => ({
    path: `f${at}`,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    part_size: PART_BYTES,
  }))
  const { json } = await call(made.url, `/v1/repos/${repo}/files/presign-upload`, { files }, null)
  const uploads = []
  for (const { path, upload_id, parts } of json.uploads) {
    const bytes = contents[Number(path.slice(1))] as Buffer
    const named = []
    for (const { part_number, url } of parts) {
      const body = new Uint8Array(bytes.subarray((part_number - 1) * PART_BYTES, part_number * PART_BYTES))
      named.push({ part_number, etag: (await fetch(url, { method: 'PUT', body })).headers.get('etag') })
    }
    uploads.push({ path, upload_id, parts: named })
  }
  const bytes = contents.reduce((sum, { length }) => sum + length, 0)
  return { path: `/v1/repos/${repo}/files/complete`, bytes, body: { uploads } }
}

/** How many uploads are being completed. */
async function completing(): Promise<number> {
  const [counted] = await sql<{ left: number }>(`select count(*)::int as left from uploads where state = 'completing'`)
  return counted?.left ?? 0
}

/** Completed so far: all repos have one owner. */
let total = 0
const title = 'is completed once by the repeated request, at once, wherever it is sent: %s'

it.each(deaths.map((death) => [death.title, death] as const))(title, { timeout: 600_000 }, async (_, death) => {
  const { settings, part } = death
  const startAll = async () => {
    const started = await start(made.url, [], settings)
    await untilAllServe(made.url, settings)
    return started
  }
  const other = `http://127.0.0.1:${await freePort()}`
  const helper = await start(other)
  onTestFinished(() => stop(helper))
  let hub = await startAll()
  // The next one has its address.
  onTestFinished(() => stop(hub))
  let midway = 0
  for (let round = 0; round < ROUNDS * part || midway === 0; round += 1) {
    const slug = `r${deaths.indexOf(death)}-${round}`
    const { path, bytes, body } = await sent(slug)
    const key = round % 2 === 0 ? randomUUID() : null
    const first = call(made.url, path, body, key).catch(() => null)
    let isAnswered = false
    first.then(() => {
      isAnswered = true
    })
    while (!isAnswered && (await completing()) === 0) await delay(2)
    await delay(randomInt(0, 50))
    await die(death, hub, database.db)
    const wasAnswered = (await first) !== null
    const left = await completing()
    // What another process of the hub completes is not left.
    if (left > 0 && !wasAnswered) midway += 1
    const isReplaced = isThere(hub)
    const back = isReplaced ? hub : round % 4 < 2 ? null : await startAll()
    const sentAt = performance.now()
    const again = await call(back ? made.url : other, path, body, key)
    const tookMs = performance.now() - sentAt
    // Without a key a completion that had come to its end cannot be told from one of someone else.
    if (key === null && left === 0 && again.status === 409) expect(again.json.type).toBe('/problems/conflict.terminal')
    else expect([again.status, again.json.files?.length, again.json.detail]).toEqual([200, FILES, undefined])
    if (wasAnswered && key !== null) expect(again.json).toEqual((await first)?.json)
    expect(tookMs).toBeLessThan(AT_ONCE_MS)
    total += bytes
    const [counted] = await sql(
      `select r.file_count, r.total_bytes::int, a.storage_bytes::int, a.reserved_bytes::int, a.pending_uploads
       from repos r join accounts a on a.id = r.owner_id where r.slug = $1`,
      [slug],
    )
    expect(counted).toEqual({
      file_count: FILES,
      total_bytes: bytes,
      storage_bytes: total,
      reserved_bytes: 0,
      pending_uploads: 0,
    })
    hub = back ?? (await startAll())
    if (isReplaced) await untilAllServe(made.url, settings)
  }
})
