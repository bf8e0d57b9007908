/** A change that brings a README.md reads it before its transaction (contract, "Cards of READMEs"). */
import type { Deps } from '../operation/context.ts'
import type { ReadReadme } from '../repos/readme/kept-cards.ts'
import { MAX_README_BYTES } from '../repos/readme/limits.ts'
import { noCard, README_PATH, type ReadmeCard, readCard } from '../repos/readme/readme-card.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { paidChunks } from '../store/objects/paid-calls.ts'
import type { AssembledUpload } from './assemble-upload.ts'

/** A README.md in the store. */
export interface StoredReadme {
  readonly storageKey: string
  readonly size: number
  /** Computed by the hub; null where it has not yet. */
  readonly sha256: string | null
}

/** What the request, or the job, has to reach the store and the log. */
export interface ReadmeReader {
  readonly deps: Pick<Deps, 'log'>
  readonly signal: AbortSignal
}

/**
 * The card of a stored README.md. Null if the store does not give its bytes: the change is made without, and a job
 * reads the card. At most one read of the store, of at most 1 MiB.
 */
export async function readReadme(
  { deps, signal }: ReadmeReader,
  objects: ObjectStore,
  { storageKey, size, sha256 }: StoredReadme,
): Promise<ReadReadme | null> {
  try {
    const card = size > MAX_README_BYTES ? tooLong(size) : readCard(await textOf(objects, { storageKey, size }, signal))
    return { storageKey, sha256, card }
  } catch (error) {
    signal.throwIfAborted()
    deps.log.warn({ err: error, storageKey }, 'a README.md could not be read: a job reads its card')
    return null
  }
}

const tooLong = (size: number): ReadmeCard =>
  noCard(`README.md has ${size} bytes; the header of one of more than ${MAX_README_BYTES} is not read.`)

/** Bytes that are not UTF-8 become signs of replacement. */
async function textOf(
  objects: ObjectStore,
  { storageKey, size }: { readonly storageKey: string; readonly size: number },
  signal: AbortSignal,
): Promise<string> {
  if (size === 0) return ''
  const { body } = await objects.get(storageKey, { signal })
  const chunks: Buffer[] = []
  for await (const chunk of paidChunks(body)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** The card of the README.md among uploads; null without one. */
export async function readmeOfUploads(
  reader: ReadmeReader,
  objects: ObjectStore,
  assembled: readonly AssembledUpload[],
): Promise<ReadReadme | null> {
  const found = assembled.find(({ upload }) => upload.path === README_PATH)
  return found ? readReadme(reader, objects, { ...found.upload, sha256: found.sha256 }) : null
}
