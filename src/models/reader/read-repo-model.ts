/** How verbs read the model of a robot repo. */
import type { Deps } from '../../operation/context.ts'
import type { RepoReading } from './model-reader.ts'
import type { RepoFile } from './repo-files.ts'

const asItIs: ReadonlyMap<string, RepoFile> = new Map()

/**
 * The reading of the current model at `entry`, including its faults. Valid for the repo at `seq`: a verb that writes a
 * result based on it must compare `seq` under the repo's lock. Errors: 404 the repo is gone, 503 the object store is
 * absent or does not respond, or the hub is too busy. One statement if no dependency of the model has changed since it
 * was last read. With `overlay` it is read as if these files were in the repo already. `asker` is whose turn it takes.
 */
export function readRepoModel({
  deps,
  repoId,
  entry,
  signal,
  options: { overlay = asItIs, asker },
}: {
  readonly deps: Pick<Deps, 'db' | 'objects' | 'models'>
  readonly repoId: string
  readonly entry: string
  readonly signal: AbortSignal
  readonly options: { readonly overlay?: ReadonlyMap<string, RepoFile>; readonly asker: string }
}): Promise<RepoReading> {
  return deps.models.read(deps, { repoId, overlay, asker }, entry, signal)
}
