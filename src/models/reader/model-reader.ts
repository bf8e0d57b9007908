/** What reads models for the other subjects; one for the life of a hub. */
import type { Deps } from '../../operation/context.ts'
import type { ModelReading } from '../mjcf/reading.ts'

declare module '../../operation/context.ts' {
  interface Deps {
    readonly models: ModelReader
  }
}

/** A model of a repo as it was read, and the state of the repo that the reading holds for. */
export interface RepoReading {
  readonly reading: ModelReading
  /** `seq` of the repo. */
  readonly seq: number
}

/** Reads models in processes of their own and keeps what it read. */
export interface ModelReader {
  /** Use `readRepoModel`. */
  read(deps: Pick<Deps, 'db' | 'objects'>, repoId: string, entry: string, signal: AbortSignal): Promise<RepoReading>
  close(): Promise<void>
}
