/** A transfer that was stopped, with what it has done. */

export interface DoneSoFar {
  readonly files: number
  readonly bytes: number
  readonly ofFiles: number
  readonly ofBytes: number
  /** Of files that are not finished: kept, and not transferred again. */
  readonly partialBytes: number
}

/** Rejects a transfer whose client was aborted after it had begun to move bytes. */
export class Interrupted extends Error {
  readonly done: DoneSoFar

  constructor(reason: unknown, done: DoneSoFar) {
    super('The transfer was interrupted.', { cause: reason })
    this.done = done
  }
}
