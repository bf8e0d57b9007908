/**
 * One large file through the object stores: `node test/bench/objects.ts [MiB] [rounds]`.
 *
 * Disk: pushed and pulled over the signed URLs of a server in its own process, beside `cp` of the same file, interleaved; and how far the server's
 * resident memory rises above idle. S3 (where there is one): over signed URLs beside the SDK's own calls.
 */
import { execFile, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { GetObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import Fastify from 'fastify'
import { objectRoutes } from '../../src/http/object-routes.ts'
import { openDiskStore } from '../../src/store/objects/disk.ts'
import type { ObjectStore, StoredPart } from '../../src/store/objects/object-store.ts'
import { openS3Store } from '../../src/store/objects/s3.ts'
import { s3Client } from '../../src/store/objects/s3-client.ts'
import { startCeph } from '../support/ceph.ts'

const MIB = 1024 * 1024
const PART_BYTES = 100 * MIB
const PARALLEL = 4

interface Part {
  readonly partNumber: number
  readonly start: number
  readonly sizeBytes: number
}

const seconds = async (work: () => Promise<unknown>) => {
  const begin = performance.now()
  await work()
  return (performance.now() - begin) / 1000
}

function partsOf(sizeBytes: number): Part[] {
  return Array.from({ length: Math.ceil(sizeBytes / PART_BYTES) }, (_, index) => {
    const start = index * PART_BYTES
    return { partNumber: index + 1, start, sizeBytes: Math.min(PART_BYTES, sizeBytes - start) }
  })
}

const slice = (file: string, part: Part) =>
  createReadStream(file, { start: part.start, end: part.start + part.sizeBytes - 1, highWaterMark: MIB })

/** Each part by `send`, a few at a time. */
async function inParallel(parts: readonly Part[], send: (part: Part) => Promise<string>): Promise<StoredPart[]> {
  const waiting = [...parts]
  const stored: StoredPart[] = []
  const lane = async () => {
    for (let part = waiting.shift(); part; part = waiting.shift()) stored.push({ ...part, etag: await send(part) })
  }
  await Promise.all(Array.from({ length: PARALLEL }, lane))
  return stored
}

async function putOverHttp(url: string, file: string, part: Part): Promise<string> {
  const request = http.request(url, { method: 'PUT', headers: { 'content-length': part.sizeBytes } })
  const answered = new Promise<http.IncomingMessage>((resolve, reject) =>
    request.once('response', resolve).once('error', reject),
  )
  await pipeline(slice(file, part), request)
  const answer = await answered
  answer.resume()
  if (answer.statusCode !== 200) throw new Error(`PUT answered ${answer.statusCode}`)
  return String(answer.headers.etag).replaceAll('"', '')
}

async function push(store: ObjectStore, file: string, sizeBytes: number, key: string): Promise<void> {
  const uploadId = await store.createUpload(key, {})
  const parts = await inParallel(partsOf(sizeBytes), async (part) =>
    putOverHttp(await store.signPart(key, uploadId, part.partNumber, 600), file, part),
  )
  const head = await store.completeUpload(key, uploadId, parts)
  if (head.sizeBytes !== sizeBytes) throw new Error('The object has another size.')
}

async function pull(url: string, file: string): Promise<void> {
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) =>
    http.get(url, resolve).once('error', reject),
  )
  await pipeline(answer, createWriteStream(file, { highWaterMark: MIB }))
}

/** Megabytes resident of a process. */
async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

async function watchPeak(pid: number, signal: AbortSignal): Promise<number> {
  let peak = 0
  while (!signal.aborted) {
    peak = Math.max(peak, await residentMib(pid))
    await pause(50)
  }
  return peak
}

async function makeFile(file: string, sizeBytes: number): Promise<void> {
  const handle = await open(file, 'w')
  const block = randomBytes(MIB)
  for (let written = 0; written < sizeBytes; written += MIB) {
    block.writeUInt32LE(written / MIB)
    await handle.write(block, 0, Math.min(MIB, sizeBytes - written))
  }
  await handle.sync()
  await handle.close()
}

/** The server side of the disk measurement, in a process of its own. */
async function serve(dir: string, signingKey: Buffer): Promise<void> {
  const app = Fastify()
  const store = await openDiskStore({ dir, signingKey, baseUrl: () => '' })
  await app.register(objectRoutes(store))
  await app.listen({ port: 0, host: '127.0.0.1' })
  process.send?.((app.server.address() as AddressInfo).port)
  process.once('disconnect', () => process.exit())
}

async function benchDisk(home: string, file: string, sizeBytes: number, rounds: number): Promise<void> {
  const dir = join(home, 'store')
  const signingKey = randomBytes(32)
  const server = fork(fileURLToPath(import.meta.url), ['serve', dir, signingKey.toString('hex')])
  const port = await new Promise<number>((resolve) => server.once('message', (message) => resolve(Number(message))))
  const pid = server.pid ?? 0
  const store = await openDiskStore({ dir, signingKey, baseUrl: () => `http://127.0.0.1:${port}` })
  const warm = join(home, 'warm')
  await makeFile(warm, MIB)
  await push(store, warm, MIB, 'warm')
  await pause(500)
  const idle = await residentMib(pid)
  const stop = new AbortController()
  const peak = watchPeak(pid, stop.signal)
  const times = { cp: [] as number[], push: [] as number[], pull: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    const [copied, pulled] = [join(home, 'copied'), join(home, 'pulled')]
    times.cp.push(await seconds(() => promisify(execFile)('cp', [file, copied])))
    await rm(copied)
    times.push.push(await seconds(() => push(store, file, sizeBytes, 'large')))
    const url = await store.signGet('large', { ttlSeconds: 600 })
    times.pull.push(await seconds(() => pull(url, pulled)))
    await promisify(execFile)('cmp', [file, pulled])
    await rm(pulled)
    await store.delete(['large'])
  }
  stop.abort()
  report('disk', times, sizeBytes)
  console.log(`disk  server memory: idle ${idle.toFixed(0)} MiB, peak +${((await peak) - idle).toFixed(0)} MiB`)
  server.disconnect()
  await store.close()
}

async function benchS3(home: string, file: string, sizeBytes: number, rounds: number): Promise<void> {
  const ceph = await startCeph()
  if ('skipped' in ceph) return console.log(`s3    skipped: ${ceph.skipped}`)
  const store = openS3Store(ceph.settings)
  const sdk = s3Client(ceph.settings)
  const Bucket = ceph.settings.bucket
  const key = `bench-${randomBytes(4).toString('hex')}`
  const pulled = join(home, 'pulled')
  const times = { sdkPush: [] as number[], push: [] as number[], sdkPull: [] as number[], pull: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    times.sdkPush.push(
      await seconds(async () => {
        const UploadId = await store.createUpload(key, {})
        const parts = await inParallel(partsOf(sizeBytes), async (part) => {
          const Body = slice(file, part)
          const sent = { Bucket, Key: key, UploadId, PartNumber: part.partNumber, Body, ContentLength: part.sizeBytes }
          return String((await sdk.send(new UploadPartCommand(sent))).ETag).replaceAll('"', '')
        })
        await store.completeUpload(key, UploadId, parts)
      }),
    )
    times.sdkPull.push(
      await seconds(async () => {
        const { Body } = await sdk.send(new GetObjectCommand({ Bucket, Key: key }))
        await pipeline(Body as Readable, createWriteStream(pulled, { highWaterMark: MIB }))
      }),
    )
    await store.delete([key])
    times.push.push(await seconds(() => push(store, file, sizeBytes, key)))
    const url = await store.signGet(key, { ttlSeconds: 600 })
    times.pull.push(await seconds(() => pull(url, pulled)))
    await promisify(execFile)('cmp', [file, pulled])
    await store.delete([key])
  }
  report('s3', times, sizeBytes)
  sdk.destroy()
  await store.close()
}

function report(store: string, times: Record<string, number[]>, sizeBytes: number): void {
  for (const [name, all] of Object.entries(times)) {
    const sorted = all.toSorted((one, other) => one - other)
    const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
    const rate = (sizeBytes / MIB / median).toFixed(0)
    console.log(
      `${store.padEnd(5)} ${name.padEnd(8)} median ${median.toFixed(2)} s (${rate} MiB/s), all ${all.map((time) => time.toFixed(2)).join(' ')}`,
    )
  }
}

async function main(): Promise<void> {
  const sizeBytes = Number(process.argv[2] ?? 1024) * MIB
  const rounds = Number(process.argv[3] ?? 3)
  const home = await mkdtemp(join(tmpdir(), 'hub-bench-objects-'))
  try {
    const file = join(home, 'file')
    await makeFile(file, sizeBytes)
    await benchDisk(home, file, sizeBytes, rounds)
    await benchS3(home, file, sizeBytes, rounds)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

if (process.argv[2] === 'serve') await serve(process.argv[3] ?? '', Buffer.from(process.argv[4] ?? '', 'hex'))
else await main()
