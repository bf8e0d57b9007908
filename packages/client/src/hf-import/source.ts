/** Where an import comes from: a hub that speaks as Hugging Face does, or a local cache of its Python client. */
import type { Progress } from '../progress.ts'

/** What a source says the bytes of a file are: a SHA-256, or git's own hash of a small file. */
export type SourceDigest = { readonly sha256: string } | { readonly gitHash: string } | null

export interface SourceFile {
  readonly path: string
  readonly size: number
  readonly digest: SourceDigest
}

export interface SourceState {
  /** 40 hex digits. */
  readonly commit: string
  /** What its author said; null if that is not known. */
  readonly message: string | null
  /** Names of it that the import makes snapshots of. */
  readonly tags: readonly string[]
}

export interface Fetched {
  /** A real folder. */
  readonly folder: string
  readonly file: SourceFile
  readonly progress: Progress
  /** Limits what is under way at once. */
  readonly slot: <T>(work: () => Promise<T>) => Promise<T>
}

export interface ImportSource {
  /** Where it is, for people. */
  readonly place: string
  /** The states to import, the oldest first; the last one is that of the named revision. */
  states(): Promise<readonly SourceState[]>
  files(commit: string): Promise<readonly SourceFile[]>
  /** Puts a file in its place below a folder, with the digest that the source says. */
  fetch(commit: string, fetched: Fetched): Promise<void>
}
