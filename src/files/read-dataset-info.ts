/** A completion that includes a dataset's `meta/info.json` reads it before it links the files (contract, "Writing"). */
import { DATASET_INFO_PATH, type DatasetInfo, MAX_DATASET_INFO_BYTES, parseDatasetInfo } from '../repos/dataset-info.ts'
import type { RepoKind } from '../repos/repo-shape.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { paidChunks } from '../store/objects/paid-calls.ts'
import type { AssembledUpload } from './assemble-upload.ts'

/**
 * The facts in `meta/info.json`; null if the file is not among `assembled` or not a LeRobot file. One read of the
 * store, at most 1 MiB.
 */
export async function readDatasetInfo(
  objects: ObjectStore,
  kind: RepoKind,
  assembled: readonly AssembledUpload[],
  signal: AbortSignal,
): Promise<DatasetInfo | null> {
  const info = kind === 'dataset' ? assembled.find(({ upload }) => upload.path === DATASET_INFO_PATH) : undefined
  return info ? readInfo(objects, info.upload, signal) : null
}

/** The facts in a stored `meta/info.json`; null if it is too large or not a LeRobot file. */
export async function readInfo(
  objects: ObjectStore,
  { storageKey, size }: { readonly storageKey: string; readonly size: number },
  signal: AbortSignal,
): Promise<DatasetInfo | null> {
  if (size > MAX_DATASET_INFO_BYTES) return null
  const { body } = await objects.get(storageKey, { signal })
  const chunks: Buffer[] = []
  for await (const chunk of paidChunks(body)) chunks.push(chunk)
  return parseDatasetInfo(Buffer.concat(chunks))
}
