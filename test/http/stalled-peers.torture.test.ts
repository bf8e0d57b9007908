import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { contractHub, type Person, sha256Of } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let runId: string
let fileUrl: string
let partUrl: string

const LINE = 'x'.repeat(4000)
const FILE_BYTES = 30_000_000

beforeAll(async () => {
  ada = await hub.person()
  const repo = await hub.repo(ada)
  await hub.upload(ada, repo, { 'large.bin': 'x'.repeat(FILE_BYTES) })
  const files = `/v1/repos/${repo}/files`
  const download = await hub.call(ada, 'POST', `${files}/presign-download`, { paths: ['large.bin'] })
  fileUrl = download.json.files[0].url
  const sha256 = sha256Of(new Uint8Array(1000))
  const upload = await hub.call(ada, 'POST', `${files}/presign-upload`, {
    files: [{ path: 'part.bin', size: 1000, sha256 }],
  })
  partUrl = upload.json.uploads[0].parts[0].url
  const key = await hub.key(ada, { scope: 'train' })
  const made = await hub.call(key, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [] } })
  runId = made.json.id
  await hub.call(key, 'POST', `/v1/runs/${runId}/claim`, { worker: 'box' })
  const log_chunk = `${LINE}\n`.repeat(64)
  for (let n = 0; n < 120; n += 1)
    expect((await hub.call(key, 'POST', `/v1/runs/${runId}/report`, { log_chunk })).status).toBe(200)
})

const jsonBody = (path: string, bytes: number) => (url: URL) =>
  `POST ${path} HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${ada.token}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n{`

const events = (path: string, query: string) => (url: URL) => {
  const body = JSON.stringify({ query })
  return `POST ${path} HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${ada.token}\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

const runLog = () => `subscription { runLog(runId: "${runId}") { events { line } } }`
const pathOf = (signed: string) => new URL(signed).pathname + new URL(signed).search

/** What each client sends before it stops sending and reading. */
const peers: readonly (readonly [string, (url: URL) => string])[] = [
  ['half a body of /v1', (url) => jsonBody('/v1/repos', 1000)(url)],
  ['half a body of /graphql', (url) => jsonBody('/graphql', 1000)(url)],
  ['half a body of /graphql/stream', (url) => jsonBody('/graphql/stream', 1000)(url)],
  ['half a part', (url) => `PUT ${pathOf(partUrl)} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-length: 1000\r\n\r\nxx`],
  ['nothing of a download', (url) => `GET ${pathOf(fileUrl)} HTTP/1.1\r\nhost: ${url.host}\r\n\r\n`],
  [
    'nothing of a log',
    (url) =>
      `GET /v1/runs/${runId}/logs?follow=true HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${ada.token}\r\n\r\n`,
  ],
  [
    'nothing of a log as a file',
    (url) =>
      `GET /v1/runs/${runId}/logs/download HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${ada.token}\r\n\r\n`,
  ],
  ['nothing of a subscription over /graphql', (url) => events('/graphql', runLog())(url)],
  ['nothing of a subscription over /graphql/stream', (url) => events('/graphql/stream', runLog())(url)],
]

const others: RunningHub[] = []
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const other of others.splice(0)) await other.stop()
})

/** Another hub over the same database and files, with other timeouts. */
async function impatient(rules: Parameters<typeof startHub>[2]): Promise<RunningHub> {
  const { config } = hub.running.deps
  const other = await startHub({ ...config, port: 0, publicUrl: null }, pino({ level: 'silent' }), rules)
  others.push(other)
  return other
}

const connectionsOf = (other: RunningHub) =>
  new Promise<number>((resolve, reject) =>
    other.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

/** Sends the start of the client's request, and reads nothing. */
async function stall(other: RunningHub, head: (url: URL) => string): Promise<Socket> {
  const url = new URL(other.url)
  const socket = connect(Number(url.port), url.hostname).on('error', () => undefined)
  sockets.push(socket)
  // Not whether it is open: an impatient hub may have closed it before anyone looks.
  const accepted = once(other.app.server, 'connection')
  socket.pause().write(head(url))
  await accepted
  return socket
}

describe('a client that stalls', () => {
  it.each(peers)('(%s) is disconnected', async (_what, head) => {
    const other = await impatient({ connectionRules: { stall: { windowMs: 400, minBytes: 1024 } } })
    const socket = await stall(other, head)
    await expect.poll(() => connectionsOf(other)).toBe(0)
    // The kernel had buffered some data; the response is still incomplete.
    expect((await text(socket.resume())).length).toBeLessThan(FILE_BYTES)
  })

  it('leaves nothing of its upload part on disk', async () => {
    const other = await impatient({ connectionRules: { stall: { windowMs: 400, minBytes: 1024 } } })
    await stall(other, peers[3]?.[1] ?? fail)
    await expect.poll(() => connectionsOf(other)).toBe(0)
    const tmp = join(other.deps.config.dataDir, 'objects', 'tmp')
    const files = async () =>
      (await readdir(tmp, { recursive: true, withFileTypes: true })).filter(
        (entry) => entry.isFile() && entry.name !== 'mark',
      )
    await expect.poll(files).toEqual([])
  })
})

describe('a hub that shuts down', () => {
  it('waits for none of them', async () => {
    const other = await impatient({ connectionRules: { stopping: { windowMs: 300, minBytes: 1024 } } })
    for (const [, head] of peers) await stall(other, head)
    // A client that connects and sends nothing.
    await stall(other, () => '')
    await expect.poll(() => connectionsOf(other)).toBe(peers.length + 1)
    const forced = vi.spyOn(other.app.server, 'closeAllConnections')
    await other.stop()
    // What still blocks after 20 s is cut by one before the last.
    expect(forced).toHaveBeenCalledOnce()
  })
})

function fail(): never {
  throw new Error('There is no such peer.')
}
