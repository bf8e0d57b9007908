/** Where a reading gets its files from: the reader itself does no I/O. Paths are repo-relative, `/`-separated, without `.` or `..`. */
export interface ModelFiles {
  /** The bytes of a file, null where there is none. The reader asks for files that it needs at the same time at once. */
  readFile(path: string): Promise<Uint8Array | null>
  /** Sizes in bytes of the files that exist, in the order asked, null for the others. */
  sizesOf(paths: readonly string[]): Promise<readonly (number | null)[]>
}
