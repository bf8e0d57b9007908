/** Of every operation that changes the files of a repo. */
export interface MessageOption {
  /** What to remember about the change: at most 500 characters. */
  readonly message?: string | undefined
}
