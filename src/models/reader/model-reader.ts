/** The model reader for other subjects; one instance per hub. */

import type { ModelReading } from '@hub/mjcf/reading'
import type { Deps } from '../../operation/context.ts'
import type { RepoTree } from './repo-files.ts'

declare module '../../operation/context.ts' {
  interface Deps {
    readonly models: ModelReader
  }
}

/** The reading of a model in a repo, and the state of the repo that it is valid for. */
export interface RepoReading {
  readonly reading: ModelReading
  /** `seq` of the repo. */
  readonly seq: number
}

/** Reads models in separate processes and caches the readings. */
export interface ModelReader {
  /** Use `readRepoModel`. */
  read(deps: Pick<Deps, 'db' | 'objects'>, tree: RepoTree, entry: string, signal: AbortSignal): Promise<RepoReading>
  close(): Promise<void>
}
