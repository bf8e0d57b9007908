/** Copies the objects that a snapshot names out of the store. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { appendFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import pMap from 'p-map'
import type { Config } from '../platform/config.ts'
import { layoutOf, type ObjectDocument, partVersions } from '../store/objects/disk-layout.ts'
import { locateObject } from '../store/objects/disk-open.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { openS3Store } from '../store/objects/s3.ts'
import type { Steps } from './dump-database.ts'
import { BackupError, type Manifest, OBJECT_LIST, type ObjectLine, partFileOf } from './manifest.ts'
import type { ObjectMode } from './object-modes.ts'
import type { BackupSink } from './sink.ts'

/** An object that the snapshot names. */
export interface NamedObject {
  readonly key: string
  readonly sha256: string | null
  /** Whether a row promises it; the metrics file of a run may not be written yet. */
  readonly required: boolean
}

/** Reads one object of the store and adds it to the backup; null if the store does not have it. */
type TakeObject = (named: NamedObject) => Promise<ObjectLine | null>

export interface ObjectsOut {
  readonly config: Pick<Config, 'objectStore'>
  readonly mode: ObjectMode
  readonly sink: BackupSink
  readonly sums: Map<string, string>
  readonly steps: Steps
}

/** What a backup has of the objects whose names `keysPath` lists, one JSON line each. */
export async function copyObjectsOut(keysPath: string, out: ObjectsOut): Promise<Manifest['objects']> {
  const { mode, sink, sums, steps } = out
  const store = out.config.objectStore.kind
  const summary = { mode, store, count: 0, bytes: 0, missing: [] as string[] }
  if (mode === 'none' || store === 'none') return { ...summary, mode: 'none' }
  const { take, close } = opened(out)
  const takeCounted = async (named: NamedObject): Promise<string> => {
    const line = await take(named)
    if (!line) {
      if (named.required) summary.missing.push(named.key)
      return ''
    }
    summary.count += 1
    summary.bytes += line.size_bytes
    steps.at({ count: summary.count, bytes: summary.bytes })
    return `${JSON.stringify(line)}\n`
  }
  // The list is written after the objects: while they are copied, its lines wait in a file and not in memory.
  const lines = new LineSpool(`${keysPath}.lines`)
  try {
    for await (const batch of batchesOf(keysPath)) {
      await lines.add((await pMap(batch, takeCounted, { concurrency: sink.concurrency })).join(''))
    }
    const { digest } = await sink.write(OBJECT_LIST, lines.read(), { sizeBytes: null, digest: 'sha256' })
    sums.set(OBJECT_LIST, digest)
    return summary
  } finally {
    await lines.remove()
    await close()
  }
}

const BATCH = 500

async function* batchesOf(path: string): AsyncGenerator<NamedObject[]> {
  let batch: NamedObject[] = []
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    batch.push(JSON.parse(line) as NamedObject)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** A text file that is written line by line and then read once. */
class LineSpool {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  add(text: string): Promise<void> {
    return appendFile(this.#path, text, { mode: 0o600 })
  }

  async *read(): AsyncGenerator<Uint8Array> {
    await this.add('')
    yield* createReadStream(this.#path)
  }

  remove(): Promise<void> {
    return rm(this.#path, { force: true })
  }
}

function opened({ config, mode, sink }: ObjectsOut): { take: TakeObject; close: () => Promise<void> } {
  const { objectStore } = config
  if (objectStore.kind === 'disk') return { take: fromDisk(objectStore.dir, mode, sink), close: async () => {} }
  if (objectStore.kind === 'none') throw new BackupError('There is no object store (OBJECT_STORE=none).')
  if (mode === 'link') throw new BackupError('Objects in S3 cannot be linked: use --objects copy or list.')
  const store = openS3Store(objectStore.s3)
  return { take: mode === 'copy' ? fromStore(store, sink) : headOf(store), close: () => store.close() }
}

/**
 * Reads the files and does not open the store, which would clean up after other processes. The name of a part, or
 * the header of a whole object, has the digest, which is compared with the bytes that are copied; a link copies none.
 */
function fromDisk(dir: string, mode: ObjectMode, sink: BackupSink): TakeObject {
  const layout = layoutOf(dir)
  const link = mode === 'link' ? sink.link : null
  if (mode === 'link' && !link) throw new BackupError('A tar file has no links: use --objects copy, or name a folder.')
  return async ({ key, sha256 }) => {
    const found = await locateObject(layout, key)
    if (!found) return null
    const { directory, object } = found
    const parts = partsOf(object)
    const line = { key, size_bytes: object.sizeBytes, etag: object.etag, content_type: object.contentType, sha256 }
    if (mode === 'list') return { ...line, parts: [] }
    const entries = parts.map(({ sizeBytes, etag }) => ({ size_bytes: sizeBytes, md5: etag }))
    for (const [index, part] of parts.entries()) {
      const from = join(directory, part.file)
      const name = partFileOf(key, index + 1)
      // The file of an object that was written whole, or with others, has more than its bytes, which are copied.
      if (link && part.at === 0) {
        await link(name, from)
        continue
      }
      const options = { sizeBytes: part.sizeBytes, digest: 'md5' } as const
      const { digest } = await sink.write(name, bytesOf(from, part), options)
      if (digest !== part.etag)
        throw new BackupError(`${from} is damaged: its bytes do not have the digest that it says.`)
    }
    return { ...line, parts: entries }
  }
}

/** A range cannot be empty. */
const bytesOf = (path: string, { at, sizeBytes }: { readonly at: number; readonly sizeBytes: number }) =>
  sizeBytes === 0 ? Readable.from([]) : createReadStream(path, { start: at, end: at + sizeBytes - 1 })

/** The digest of each part is in its file's name, or in the header of the object's one file. */
function partsOf({ parts, etag }: ObjectDocument) {
  return parts.flatMap(({ file, sizeBytes, at = 0 }) =>
    file === '' ? [{ file, sizeBytes, etag, at }] : partVersions([file]).map((part) => ({ ...part, at })),
  )
}

/** Larger objects are kept in pieces, so that they can be restored as the parts of an upload. */
const PART_BYTES = 100 * 1024 ** 2

function fromStore(store: ObjectStore, sink: BackupSink): TakeObject {
  return async (named) => {
    const head = await store.head(named.key)
    if (!head) return null
    const parts: ObjectLine['parts'] = []
    const whole = createHash('sha256')
    for (let start = 0; start < head.sizeBytes || parts.length === 0; start += PART_BYTES) {
      const sizeBytes = Math.min(PART_BYTES, head.sizeBytes - start)
      const range = sizeBytes === head.sizeBytes ? {} : { range: { start, end: start + sizeBytes - 1 } }
      const { body } = await store.get(named.key, range)
      const options = { sizeBytes, digest: 'md5' } as const
      const { digest, bytes } = await sink.write(partFileOf(named.key, parts.length + 1), passing(body, whole), options)
      if (bytes !== sizeBytes) throw new BackupError(`${named.key} ended early while it was copied.`)
      parts.push({ size_bytes: sizeBytes, md5: digest })
    }
    if (named.sha256 !== null && whole.digest('hex') !== named.sha256)
      throw new BackupError(
        `${named.key} is damaged in the store: its bytes do not have the digest that the hub verified.`,
      )
    return { ...lineOf(named, head), parts }
  }
}

async function* passing(body: AsyncIterable<Uint8Array>, hash: ReturnType<typeof createHash>) {
  for await (const chunk of body) {
    hash.update(chunk)
    yield chunk
  }
}

function headOf(store: ObjectStore): TakeObject {
  return async (named) => {
    const head = await store.head(named.key)
    return head && { ...lineOf(named, head), parts: [] }
  }
}

const lineOf = ({ key, sha256 }: NamedObject, { sizeBytes, etag }: { sizeBytes: number; etag: string }) => ({
  key,
  size_bytes: sizeBytes,
  etag,
  content_type: null,
  sha256,
})
