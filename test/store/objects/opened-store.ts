/** A store under test, with keys of its own, and how tests upload to it. */
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll } from 'vitest'
import { type ObjectStore, ObjectStoreError, type StoredPart } from '../../../src/store/objects/object-store.ts'

export interface Subject {
  readonly store: ObjectStore
  /** The prefix of this run's keys; the run deletes them at its end. */
  readonly prefix: string
  close(): Promise<void>
}

/** The least that S3 takes for a part that is not the last. */
export const PART_BYTES = 5 * 1024 * 1024

export const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

/** PUT to a signed part URL; returns the ETag, or the status if it was rejected. */
export async function putPart(url: string, bytes: Uint8Array): Promise<string | number> {
  const answer = await fetch(url, { method: 'PUT', body: Buffer.from(bytes) })
  await answer.arrayBuffer()
  return answer.ok ? (answer.headers.get('etag') ?? '').replaceAll('"', '') : answer.status
}

/** The first part, of so many bytes. */
export const partOf = (sizeBytes: number) => ({ partNumber: 1, sizeBytes })

export const code = (wanted: string) => (error: unknown) => error instanceof ObjectStoreError && error.code === wanted

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

export type OpenedStore = ReturnType<typeof openedStore>

/** Opens it before the tests of the suite, and removes its keys after them. */
export function openedStore(open: () => Promise<Subject>) {
  let subject: Subject
  let serial = 0
  const at = {
    /** From the first test on. */
    get store(): ObjectStore {
      return subject.store
    },
    newKey: () => `${subject.prefix}/k${serial++}`,
    async upload(key: string, numbers: readonly number[], bytesOf: (n: number) => Uint8Array) {
      const uploadId = await at.store.createUpload(key, { contentType: 'application/x-test' })
      const parts: StoredPart[] = []
      for (const partNumber of numbers) {
        const bytes = bytesOf(partNumber)
        const sizeBytes = bytes.byteLength
        const etag = await putPart(await at.store.signPart(key, uploadId, { partNumber, sizeBytes }, 60), bytes)
        if (typeof etag === 'number') throw new Error(`The store refused a part with ${etag}.`)
        parts.push({ partNumber, etag, sizeBytes })
      }
      return { uploadId, parts }
    },
    small: (key: string, text = 'hello') => at.upload(key, [1], () => Buffer.from(text)),
    bytesAt: async (key: string) => await buffer((await at.store.get(key)).body),
  }

  beforeAll(async () => {
    subject = await open()
  })
  afterAll(async () => {
    const keys = (await collect(at.store.list(`${subject.prefix}/`))).map((object) => object.key)
    await at.store.delete(keys)
    await subject.close()
  })
  return at
}
