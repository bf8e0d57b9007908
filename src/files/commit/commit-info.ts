/** What a commit brings in files that the hub itself reads: facts of a dataset, a body, and the card of a README.md. */
import type { AllowedContext } from '../../operation/context.ts'
import { BODY_PATHS } from '../../repos/bodies/body-of-file.ts'
import { README_PATH } from '../../repos/readme/readme-card.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { type Brought, readDescription } from '../read-dataset-info.ts'
import { readReadme, type StoredReadme } from '../read-readme.ts'
import { contentOf } from '../readable-blobs.ts'
import { findState } from '../versions/states.ts'
import { storedInState } from '../versions/tree-at.ts'
import type { CommitRequest } from './commit-input.ts'
import type { SourceBlob } from './sources.ts'

/** One read of the store for each such file that the commit has. */
export async function broughtByCommit(
  ctx: AllowedContext,
  objects: ObjectStore,
  request: CommitRequest,
  blobs: ReadonlyMap<string, SourceBlob>,
): Promise<Brought> {
  const { kind } = request.repo
  let file: StoredReadme | null = null
  for (const path of BODY_PATHS[kind]) file ??= await brought(ctx, request, blobs, path)
  const described = await readDescription(ctx, objects, kind, file)
  const readme = await brought(ctx, request, blobs, README_PATH)
  return { ...described, readme: readme && (await readReadme(ctx, objects, readme)) }
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
