/** What a commit brings in files that the hub itself reads: the facts of a dataset, and the card of a README.md. */
import type { AllowedContext } from '../../operation/context.ts'
import { DATASET_INFO_PATH, type DatasetInfo } from '../../repos/dataset-info.ts'
import type { ReadReadme } from '../../repos/readme/kept-cards.ts'
import { README_PATH } from '../../repos/readme/readme-card.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { readInfo } from '../read-dataset-info.ts'
import { readReadme, type StoredReadme } from '../read-readme.ts'
import { contentOf } from '../readable-blobs.ts'
import { findState } from '../versions/states.ts'
import { storedInState } from '../versions/tree-at.ts'
import type { CommitRequest } from './commit-input.ts'
import type { SourceBlob } from './sources.ts'

/** Null if the commit has no such file, or the repo is no dataset. One read of the store. */
export async function infoOfCommit(
  ctx: AllowedContext,
  objects: ObjectStore,
  request: CommitRequest,
  blobs: ReadonlyMap<string, SourceBlob>,
): Promise<DatasetInfo | null> {
  const file = request.repo.kind === 'dataset' ? await brought(ctx, request, blobs, DATASET_INFO_PATH) : null
  return file && readInfo(objects, file, ctx.signal)
}

/** Null if the commit has no README.md, or the store does not give it. One read of the store. */
export async function readmeOfCommit(
  ctx: AllowedContext,
  objects: ObjectStore,
  request: CommitRequest,
  blobs: ReadonlyMap<string, SourceBlob>,
): Promise<ReadReadme | null> {
  const file = await brought(ctx, request, blobs, README_PATH)
  return file && readReadme(ctx, objects, file)
}

/** The bytes that a path gets; null if the commit does not add it, or copies a file that is not there. */
async function brought(
  ctx: AllowedContext,
  { repo, added, copies }: CommitRequest,
  blobs: ReadonlyMap<string, SourceBlob>,
  path: string,
): Promise<StoredReadme | null> {
  const one = added.find((file) => file.path === path)
  const sent = one && blobs.get(contentOf(one))
  if (sent) return sent.blob
  const copied = copies.find((file) => file.path === path)
  if (!copied) return null
  const [file] = await storedInState(ctx, await findState(ctx, repo, String(copied.seq ?? repo.seq)), [copied.from])
  return file ?? null
}
