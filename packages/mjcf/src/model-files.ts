/**
 * Where a reading gets its files from: the reader itself does no I/O. Paths are repo-relative, `/`-separated, without
 * `.` or `..`.
 */
export interface ModelFiles {
  /**
   * The bytes of a file, null if it does not exist. The reader requests all files that it needs at the same time
   * together.
   */
  readFile(path: string): Promise<Uint8Array | null>
  /** Sizes in bytes of the files that exist, in the requested order, null for the others. */
  sizesOf(paths: readonly string[]): Promise<readonly (number | null)[]>
}
