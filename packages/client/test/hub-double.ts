/** An in-memory `/v1` for transfers, with any part size and injected faults, which a real hub cannot produce. */
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createDouble } from '@hub/testing/double'
import { Header } from 'tar/header'
import type { RemoteFile } from '../src/internal.ts'

/** Returns true if it handled the request itself. */
type Fault = (request: IncomingMessage, response: ServerResponse, url: URL) => boolean | Promise<boolean>

/** The program of the command `hub`, for tests that kill it. */
export const hubCommand = fileURLToPath(new URL('../../cli/src/hub.ts', import.meta.url))

export interface HubDouble {
  readonly url: string
  readonly files: Map<string, RemoteFile & { bytes: Buffer }>
  /** `size#part` of every PUT that was answered, in order: the size of the content, and the part's number. */
  readonly puts: string[]
  /** Bytes of each content that was sent in a request, in order. */
  readonly stored: number[]
  /** Bytes that a commit can name, by digest. */
  readonly ahead: Map<string, Buffer>
  readonly commits: Commit[]
  readonly calls: string[]
  /** How far its clock is ahead of this machine's. */
  clockMs: number
  /** Bytes of parts that have arrived, whether their PUT was answered or not. */
  received: number
  /** Called after each piece of a part; no more is read until it resolves. */
  taken: () => Promise<void> | undefined
  fault: Fault
  repoExists: boolean
  /** Whether contents may come as an archive, as older hubs do not take them. */
  takesArchives: boolean
  /** The kind of fault of a commit that names a run; null where one may. */
  runFault: string | null
  store(path: string, bytes: Buffer, over?: Partial<RemoteFile>): void
  close(): Promise<void>
}

interface Commit {
  readonly add?: ReadonlyArray<{ readonly path: string; readonly sha256: string; readonly size: number }>
  readonly delete?: readonly string[]
  readonly message?: string
  readonly run_id?: string
}

interface Pending {
  readonly id: string
  readonly size: number
  readonly sha256: string
  readonly parts: Map<number, Buffer>
}

/** Whether a request sends contents in itself. */
export const sendsContents = ({ pathname }: URL) => /\/blobs(\/archive)?$/.test(pathname)

const BLOCK_BYTES = 512

/** The files of a tar archive. */
function filesOf(archive: Buffer): Buffer[] {
  const files: Buffer[] = []
  for (let at = 0; ; ) {
    const { nullBlock, cksumValid, path, size = 0 } = new Header(archive, at)
    if (nullBlock) return files
    const bytes = archive.subarray(at + BLOCK_BYTES, at + BLOCK_BYTES + size)
    if (!cksumValid || path !== sha256(bytes)) throw new Error(`${path} is not as it is named.`)
    files.push(bytes)
    at += BLOCK_BYTES + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
  }
}

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** `asked`: parts as the client asks for them. */
export async function startHubDouble(partSize: number | 'asked' = 100_000): Promise<HubDouble> {
  const pending = new Map<string, Pending>()
  const server = createDouble((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const later = () => new Date(Date.now() + double.clockMs + 3_600_000).toISOString()

  const double: HubDouble = {
    url,
    files: new Map(),
    puts: [],
    stored: [],
    ahead: new Map(),
    commits: [],
    calls: [],
    clockMs: 0,
    received: 0,
    taken: () => undefined,
    fault: () => false,
    repoExists: true,
    takesArchives: true,
    runFault: null,
    store(path, bytes, over = {}) {
      const entry = {
        path,
        size: bytes.length,
        etag: randomUUID(),
        sha256: sha256(bytes),
        mime: null,
        updated_at: new Date().toISOString(),
      }
      double.files.set(path, { ...entry, ...over, bytes })
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = new URL(request.url ?? '/', url)
    if (await double.fault(request, response, at)) return
    if (at.pathname === '/put') return put(request, response, at)
    if (at.pathname === '/get') return get(request, response, at)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const isArchive = request.headers['content-type'] === 'application/x-tar'
    const body = bytes.length > 0 && !isArchive ? JSON.parse(bytes.toString()) : {}
    const action = at.pathname.replace(/^\/v1\/repos\/[^/]+\/[^/]+/, '')
    double.calls.push(`${request.method} ${action}`)
    if (!double.repoExists) return problem(response, 404, 'not_found', 'No such repo.')
    if (action === '') return json(response, repo(double))
    if (action === '/tree')
      return json(response, {
        items: [...double.files.values()].map(({ bytes: _, ...entry }) => entry),
        next_cursor: null,
      })
    if (action === '/blobs/presign') return json(response, { blobs: body.blobs.map(presign), expires_at: later() })
    if (action === '/blobs')
      return json(response, { blobs: body.contents.map((text: string) => keep(Buffer.from(text, 'base64'))) })
    if (action === '/blobs/archive' && double.takesArchives) return json(response, { blobs: filesOf(bytes).map(keep) })
    if (action === '/blobs/complete') return complete(response, body.uploads)
    if (action === '/commits') return commit(response, body)
    if (action === '/files/presign-download') {
      return json(response, {
        files: body.paths.map((path: string) => ({
          path,
          url: `${url}/get?path=${encodeURIComponent(path)}`,
          expires_at: later(),
        })),
      })
    }
    return problem(response, 404, 'not_found', 'No such operation.')
  }

  function presign(blob: { size: number; sha256: string; part_size?: number }) {
    if (double.ahead.has(blob.sha256)) return { sha256: blob.sha256, size: blob.size, upload: null }
    const upload = [...pending.values()].find((one) => one.sha256 === blob.sha256) ?? {
      ...{ id: randomUUID(), sha256: blob.sha256, size: blob.size, parts: new Map() },
    }
    pending.set(upload.id, upload)
    const size = partSize === 'asked' ? (blob.part_size ?? 104_857_600) : partSize
    const count = Math.max(1, Math.ceil(blob.size / size))
    const parts = Array.from({ length: count }, (_, i) => ({
      part_number: i + 1,
      url: `${url}/put?id=${upload.id}&n=${i + 1}&sha256=${blob.sha256}`,
    }))
    const uploaded = [...upload.parts.keys()]
    const uploaded_etags = [...upload.parts.values()].map(md5)
    const target = { upload_id: upload.id, part_size: size, parts, uploaded, uploaded_etags }
    return { sha256: blob.sha256, size: blob.size, upload: target }
  }

  function keep(bytes: Buffer) {
    double.received += bytes.length
    double.ahead.set(sha256(bytes), bytes)
    double.stored.push(bytes.length)
    return { sha256: sha256(bytes), size: bytes.length }
  }

  async function put(request: IncomingMessage, response: ServerResponse, at: URL): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) {
      chunks.push(chunk as Buffer)
      double.received += (chunk as Buffer).length
      await double.taken()
    }
    const bytes = Buffer.concat(chunks)
    if (request.headers['content-length'] !== String(bytes.length))
      return problem(response, 411, 'length', 'No Content-Length.')
    const upload = pending.get(at.searchParams.get('id') ?? '')
    upload?.parts.set(Number(at.searchParams.get('n')), bytes)
    double.puts.push(`${upload?.size}#${at.searchParams.get('n')}`)
    response.writeHead(200, { etag: `"${md5(bytes)}"` }).end()
  }

  function get(request: IncomingMessage, response: ServerResponse, at: URL): void {
    const file = double.files.get(at.searchParams.get('path') ?? '')
    if (file === undefined) {
      problem(response, 404, 'not_found', 'No such object.')
      return
    }
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
    if (range === null) {
      response.writeHead(200, { 'content-length': file.bytes.length }).end(file.bytes)
      return
    }
    const [start, end] = [Number(range[1]), Number(range[2])]
    response
      .writeHead(206, { 'content-range': `bytes ${start}-${end}/${file.bytes.length}` })
      .end(file.bytes.subarray(start, end + 1))
  }

  function complete(
    response: ServerResponse,
    uploads: Array<{ upload_id: string; parts: Array<{ part_number: number; etag: string }> }>,
  ): void {
    const errors = []
    for (const [index, { upload_id, parts }] of uploads.entries()) {
      const stored = pending.get(upload_id)?.parts
      const good =
        stored?.size === parts.length &&
        parts.every(
          ({ part_number, etag }) => etag.replaceAll('"', '') === md5(stored.get(part_number) ?? Buffer.alloc(0)),
        )
      if (!good)
        errors.push({
          type: 'upload.etag_mismatch',
          detail: `upload ${index} is bad`,
          loc: ['body', 'uploads', index, 'parts'],
        })
    }
    if (errors.length > 0) {
      problem(response, 422, 'upload.etag_mismatch', 'Uploads are bad.', errors)
      return
    }
    const blobs = uploads.map(({ upload_id }) => {
      const upload = pending.get(upload_id)
      const bytes = Buffer.concat([...(upload?.parts ?? [])].sort(([a], [b]) => a - b).map(([, part]) => part))
      pending.delete(upload_id)
      double.ahead.set(sha256(bytes), bytes)
      return { sha256: sha256(bytes), size: bytes.length }
    })
    json(response, { blobs })
  }

  function commit(response: ServerResponse, body: Commit): void {
    const add = body.add ?? []
    const known = new Map([...double.files.values()].map((file) => [file.sha256 ?? '', file.bytes]))
    const errors = add.flatMap(({ path, sha256 }, index) =>
      double.ahead.has(sha256) || known.has(sha256)
        ? []
        : [{ type: 'upload.part_missing', detail: `${path} has no bytes`, loc: ['body', 'add', index, 'sha256'] }],
    )
    const { runFault: type } = double
    if (type && body.run_id) errors.push({ type, detail: 'No run.', loc: ['body', 'run_id'] })
    if (errors.length > 0) {
      problem(response, 422, errors[0]?.type ?? '', 'The commit is refused.', errors)
      return
    }
    for (const path of body.delete ?? []) double.files.delete(path)
    for (const { path, sha256 } of add)
      double.store(path, double.ahead.get(sha256) ?? known.get(sha256) ?? Buffer.alloc(0))
    double.commits.push(body)
    json(response, { commit_id: 'c'.repeat(40), seq: double.commits.length, added: 0, changed: 0, removed: 0 })
  }

  return double
}

function repo(double: HubDouble) {
  const file_summary = { count: double.files.size, total_bytes: 0, verified_count: 0 }
  return {
    id: 'repo_1',
    kind: 'robot',
    full_name: 'o/s',
    visibility: 'private',
    description: null,
    tags: [],
    file_summary,
    updated_at: new Date().toISOString(),
  }
}

export function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export function problem(
  response: ServerResponse,
  status: number,
  type: string,
  detail: string,
  errors: unknown[] = [],
): void {
  const body = { type: `/problems/${type}`, title: type, status, detail, request_id: 'req-1', errors }
  response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body))
}
