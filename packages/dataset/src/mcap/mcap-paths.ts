/** Which files of a repo are episodes in MCAP, in the order in which they are numbered. Pure. */
export const mcapPaths = (paths: Iterable<string>): string[] =>
  [...paths].filter((path) => path.toLowerCase().endsWith('.mcap')).toSorted()
