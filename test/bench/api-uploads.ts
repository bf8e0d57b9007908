/** What the bench sends of files: each request names a hundred that nobody has sent before. */
import { createHash, randomBytes } from 'node:crypto'
import type { Ask, Prepare } from './api-lab.ts'
import { signedPartPath } from './by-hand/parts.ts'

const FILES = 100
const FILE_BYTES = 1024
const PRESIGNS = 24
const COMPLETIONS = 6
const files = '/v1/repos/bench/repo-1/files'

interface Sent {
  readonly path: string
  readonly bytes: Buffer
}

const newFiles = (): Sent[] =>
  Array.from({ length: FILES }, () => ({
    path: `sent/${randomBytes(8).toString('hex')}.bin`,
    bytes: randomBytes(FILE_BYTES),
  }))

const presignOf = (sent: readonly Sent[]): Ask => ({
  path: `${files}/presign-upload`,
  body: {
    files: sent.map(({ path, bytes }) => ({
      path,
      size: bytes.byteLength,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })),
  },
})

export const presigns: Prepare = async () => Array.from({ length: PRESIGNS }, () => presignOf(newFiles()))

/** Their bytes are in the store already. */
export const completions: Prepare = async (ask) => {
  const asks: Ask[] = []
  for (let made = 0; made < COMPLETIONS; made += 1) {
    const sent = newFiles()
    const { uploads } = JSON.parse(await ask(presignOf(sent)))
    const parts = await Promise.all(sent.map(({ bytes }, at) => put(uploads[at].parts[0].url, bytes)))
    const named = sent.map(({ path }, at) => ({ path, upload_id: uploads[at].upload_id, parts: [parts[at]] }))
    asks.push({ path: `${files}/complete`, body: { uploads: named } })
  }
  return asks
}

const PARTS = 32
const PART_BYTES = 1024 * 1024

/** Of files that have one part each. */
export const parts: Prepare = async (ask) => {
  const bytes = randomBytes(PART_BYTES)
  const sent = newFiles().slice(0, PARTS)
  const { uploads } = JSON.parse(await ask(presignOf(sent.map(({ path }) => ({ path, bytes })))))
  return uploads.map(({ parts: [part] }: { parts: { url: string }[] }) => {
    const { pathname, search } = new URL(part?.url ?? '')
    return { path: `${pathname}${search}`, bytes }
  })
}

/** The same to the server by hand. */
export const partsByHand: Prepare = async () => {
  const bytes = randomBytes(PART_BYTES)
  const names = Array.from({ length: PARTS }, () => randomBytes(16).toString('hex'))
  return names.map((name) => ({ path: signedPartPath(name, PART_BYTES), bytes }))
}

async function put(url: string, bytes: Buffer) {
  const response = await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) })
  if (!response.ok) throw new Error(`${response.status} for a part`)
  return { part_number: 1, etag: response.headers.get('etag') }
}
