/**
 * A change that brings the file by which a repo says its body reads it before its transaction: a dataset's
 * `meta/info.json`, which has the facts of its meta block too, or a model's contract (contract, "Writing").
 */
import { bodyOfFile, MAX_BODY_FILE_BYTES } from '../repos/bodies/body-of-file.ts'
import type { ReadBody } from '../repos/bodies/kept-bodies.ts'
import { type DatasetInfo, MAX_DATASET_INFO_BYTES, parseDatasetInfo } from '../repos/dataset-info.ts'
import type { ReadReadme } from '../repos/readme/kept-cards.ts'
import type { RepoKind } from '../repos/repo-shape.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { paidChunks } from '../store/objects/paid-calls.ts'
import type { ReadmeReader, StoredReadme } from './read-readme.ts'

/** What a change brings in files that the hub itself reads. */
export interface Brought {
  /** Facts from a dataset's `meta/info.json`; null leaves the meta block unchanged. */
  readonly datasetInfo: DatasetInfo | null
  /** Null if there is no README.md, or it could not be read. */
  readonly readme: ReadReadme | null
  /** Absent or null if there is no file that says a body, or it was not read: a job reads it. */
  readonly body?: ReadBody | null
}

/** What such a file says; both null where there is none. At most one read of the store, of at most 1 MiB. */
export async function readDescription(
  reader: ReadmeReader,
  objects: ObjectStore,
  kind: RepoKind,
  file: StoredReadme | null,
): Promise<Pick<Brought, 'datasetInfo' | 'body'>> {
  if (!file) return { datasetInfo: null, body: null }
  if (kind === 'dataset') {
    const bytes = await bytesOf(objects, file, MAX_DATASET_INFO_BYTES, reader.signal)
    return { datasetInfo: bytes && parseDatasetInfo(bytes), body: bodyIn(kind, file, bytes) }
  }
  return { datasetInfo: null, body: await readStoredBody(reader, objects, kind, file) }
}

/** The body that a stored file says. Null if the store does not give its bytes: the change is made without. */
export async function readStoredBody(
  { deps, signal }: ReadmeReader,
  objects: ObjectStore,
  kind: RepoKind,
  file: StoredReadme,
): Promise<ReadBody | null> {
  try {
    return bodyIn(kind, file, await bytesOf(objects, file, MAX_BODY_FILE_BYTES, signal))
  } catch (error) {
    signal.throwIfAborted()
    deps.log.warn({ err: error, storageKey: file.storageKey }, 'the body of a repo could not be read: a job reads it')
    return null
  }
}

const bodyIn = (kind: RepoKind, { storageKey, sha256 }: StoredReadme, bytes: Buffer | null): ReadBody => ({
  storageKey,
  sha256,
  kept: bytes && bodyOfFile(kind, bytes),
})

/** The facts in a stored `meta/info.json`; null if it is too large or not a LeRobot file. */
export async function readInfo(
  objects: ObjectStore,
  file: { readonly storageKey: string; readonly size: number },
  signal: AbortSignal,
): Promise<DatasetInfo | null> {
  const bytes = await bytesOf(objects, file, MAX_DATASET_INFO_BYTES, signal)
  return bytes && parseDatasetInfo(bytes)
}

async function bytesOf(
  objects: ObjectStore,
  { storageKey, size }: { readonly storageKey: string; readonly size: number },
  max: number,
  signal: AbortSignal,
): Promise<Buffer | null> {
  if (size > max) return null
  const { body } = await objects.get(storageKey, { signal })
  const chunks: Buffer[] = []
  for await (const chunk of paidChunks(body)) chunks.push(chunk)
  return Buffer.concat(chunks)
}
