/** Types of a check that its pure rules use too. */

export type CheckKind = 'robot' | 'model'

/** A JSON object with the member names of `/v1`, stored as it was sent. */
export type Document = Readonly<Record<string, unknown>>

export interface CheckArtifact {
  /** Path of the file in the repo if the check is published. */
  readonly name: string
  readonly storageKey: string
  readonly size: number
  readonly sha256: string
  readonly contentType: string | null
}
