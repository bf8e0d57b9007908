/**
 * A ZIP of stored files as a stream: nothing is compressed, one file is open at a time, and what is held is a chunk and
 * the names. Files of 4 GiB and more, and archives of them, are Zip64.
 */
import { createHash } from 'node:crypto'
import { addAbortSignal, Readable } from 'node:stream'
import { makeZip, predictLength } from 'client-zip'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { paidChunks } from '../../store/objects/paid-calls.ts'
import { UtcDate } from './utc-date.ts'

export interface ZippedFile {
  /** In the archive, with `/` between its segments. */
  readonly name: string
  readonly storageKey: string
  /** Bytes. */
  readonly size: number
  /** Lowercase hex; null until the hub has hashed the bytes. */
  readonly sha256: string | null
}

/** The bytes of a file in the store are not those that the hub has on record. */
class CorruptFile extends Error {
  constructor(name: string, what: string) {
    super(`${JSON.stringify(name)} is not whole in the store: ${what}.`)
    this.name = 'CorruptFile'
  }
}

/** Bytes of the archive: known before the first of them. */
export const zipSize = (files: readonly Pick<ZippedFile, 'name' | 'size'>[]): number => Number(predictLength(files))

interface ZipOptions {
  readonly objects: ObjectStore
  /** The date of every file, in steps of two seconds. */
  readonly time: Date
  readonly signal: AbortSignal
  /** Rejects where no more may be sent; called before each piece of a file. */
  readonly assertReadable: () => Promise<void>
  /** Makes the error of the stream from that of a file. */
  readonly failure: (file: ZippedFile, error: unknown) => Promise<unknown>
}

/**
 * The archive. It fails in the middle where a file is lost, shorter, longer or another one than its digest says, and so
 * never has the end that its size announces, or where it may be read no more. Nothing is read before someone reads.
 */
export function zipFiles(files: readonly ZippedFile[], options: ZipOptions): Readable {
  const { objects, signal, failure, assertReadable } = options
  let open: Readable | null = null
  const storedOf = async function* (file: ZippedFile): AsyncGenerator<Uint8Array, void> {
    try {
      const { body } = await objects.get(file.storageKey, { signal })
      open = addAbortSignal(signal, body)
      yield* checked(file, paidChunks(body))
    } catch (error) {
      throw signal.aborted ? error : await failure(file, error)
    }
  }
  const bytesOf = async function* (file: ZippedFile): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of storedOf(file)) {
      await assertReadable()
      yield chunk
    }
  }
  const lastModified = new UtcDate(options.time)
  const entries = function* () {
    for (const file of files) yield { name: file.name, size: file.size, lastModified, input: bytesOf(file) }
  }
  return Readable.from(
    readAll(makeZip(entries()), () => open?.destroy()),
    { objectMode: false },
  )
}

/** The same chunks, counted and hashed. */
async function* checked({ name, size, sha256 }: ZippedFile, chunks: AsyncIterable<Uint8Array>) {
  const hash = sha256 === null ? null : createHash('sha256')
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > size) throw new CorruptFile(name, `it has more than its ${size} bytes`)
    hash?.update(chunk)
    yield chunk
  }
  if (bytes < size) throw new CorruptFile(name, `it has ${bytes} of its ${size} bytes`)
  if (hash && hash.digest('hex') !== sha256) throw new CorruptFile(name, 'its SHA-256 is another one')
}

/** Reads a stream to its end; a reader that leaves before closes what it reads from. */
async function* readAll(stream: ReadableStream<Uint8Array>, close: () => void): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    close()
    await reader.cancel().catch(() => undefined)
  }
}
