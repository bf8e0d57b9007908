/** A completion that brings a dataset's `meta/info.json` reads it before it links (contract, "Meta blocks can be set"). */
import { DATASET_INFO_PATH, type DatasetInfo, MAX_DATASET_INFO_BYTES, parseDatasetInfo } from '../repos/dataset-info.ts'
import type { RepoKind } from '../repos/repo-shape.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import type { AssembledUpload } from './assemble-upload.ts'

/** What the file says, null where none is among `assembled` or it is no LeRobot file. One read of the store, of 1 MiB at most. */
export async function readDatasetInfo(
  objects: ObjectStore,
  kind: RepoKind,
  assembled: readonly AssembledUpload[],
  signal: AbortSignal,
): Promise<DatasetInfo | null> {
  const info = kind === 'dataset' ? assembled.find(({ upload }) => upload.path === DATASET_INFO_PATH) : undefined
  if (!info || info.upload.size > MAX_DATASET_INFO_BYTES) return null
  const { body } = await objects.get(info.upload.storageKey, { signal })
  const chunks: Buffer[] = []
  for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk)
  return parseDatasetInfo(Buffer.concat(chunks))
}
