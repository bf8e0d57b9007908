/** Words and parts of a check that its pure rules read too. */

export type CheckKind = 'robot' | 'model'

/** A JSON object in the names of `/v1`, kept as it was given. */
export type Document = Readonly<Record<string, unknown>>

export interface CheckArtifact {
  /** The repo path that it takes if published. */
  readonly name: string
  readonly storageKey: string
  readonly size: number
  readonly sha256: string
  readonly contentType: string | null
}
