/** How verbs read the model of a robot repo. */
import type { Deps } from '../../operation/context.ts'
import type { RepoReading } from './model-reader.ts'

/**
 * The model at `entry` as the repo has it now; whatever is wrong with the model is in the reading. The reading holds for the repo at `seq`: a verb that
 * writes what follows from it compares that with the locked repo. Errors: 404 the repo is gone, 503 the object store is absent or does not answer, or the
 * hub is too busy. One statement when nothing that the model stands on changed since it was last read.
 */
export function readRepoModel(
  deps: Pick<Deps, 'db' | 'objects' | 'models'>,
  repoId: string,
  entry: string,
  signal: AbortSignal,
): Promise<RepoReading> {
  return deps.models.read(deps, repoId, entry, signal)
}
