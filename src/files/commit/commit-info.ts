/** The facts of a dataset that a commit brings in its `meta/info.json`. */
import type { AllowedContext } from '../../operation/context.ts'
import { DATASET_INFO_PATH, type DatasetInfo } from '../../repos/dataset-info.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { readInfo } from '../read-dataset-info.ts'
import { contentOf } from '../readable-blobs.ts'
import { findState } from '../versions/states.ts'
import { storedInState } from '../versions/tree-at.ts'
import type { CommitRequest } from './commit-input.ts'
import type { SourceBlob } from './sources.ts'

/** Null if the commit has no such file, or the repo is no dataset. One read of the store. */
export async function infoOfCommit(
  ctx: AllowedContext,
  objects: ObjectStore,
  { repo, added, copies }: CommitRequest,
  blobs: ReadonlyMap<string, SourceBlob>,
): Promise<DatasetInfo | null> {
  if (repo.kind !== 'dataset') return null
  const one = added.find(({ path }) => path === DATASET_INFO_PATH)
  const sent = one && blobs.get(contentOf(one))
  if (sent) return readInfo(objects, sent.blob, ctx.signal)
  const copied = copies.find(({ path }) => path === DATASET_INFO_PATH)
  if (!copied) return null
  const [file] = await storedInState(ctx, await findState(ctx, repo, String(copied.seq ?? repo.seq)), [copied.from])
  return file ? readInfo(objects, file, ctx.signal) : null
}
