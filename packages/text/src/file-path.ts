/** FilePath (contract, "Text"): validation of file paths, and byte order on paths. Pure. */
import { isGitName } from './git-name.ts'

const MAX_PATH_BYTES = 1024
const MAX_SEGMENT_BYTES = 255

/** C0, DEL and C1. */
const control = /\p{Cc}/u

/** Why `path` is not a FilePath, as a clause after "The path …"; null if it is one. */
export function pathFault(path: string): string | null {
  if (path === '') return 'is empty'
  if (!path.isWellFormed()) return 'is not valid Unicode'
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes of UTF-8`
  if (control.test(path)) return 'contains a control character'
  if (path.includes('\\')) return 'contains a backslash; segments are separated by /'
  if (path !== path.normalize('NFC')) return 'is not in Unicode normal form C (NFC)'
  if (path.startsWith('/')) return 'starts with /'
  if (path.endsWith('/')) return 'ends with /'
  return segmentFault(path.split('/'))
}

function segmentFault(segments: readonly string[]): string | null {
  for (const segment of segments) {
    if (segment === '') return 'has an empty segment'
    if (segment === '.' || segment === '..') return `has the segment ${segment}`
    if (segment.length * 3 > MAX_SEGMENT_BYTES && Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
      return `has a segment longer than ${MAX_SEGMENT_BYTES} bytes`
  }
  return null
}

/**
 * Like `pathFault`, for a path to be created: also rejects names that Git would act on. Existing files with such a path
 * can be read and deleted.
 */
export function newPathFault(path: string): string | null {
  const fault = pathFault(path)
  if (fault !== null) return fault
  const git = path.split('/').find(isGitName)
  return git === undefined ? null : `has the segment ${JSON.stringify(git)}, which a file system may treat as .git`
}

const LAST_CODE_POINT = 0x10ffff

/** Above every FilePath in byte order: more repetitions of the last code point than a segment can hold. */
const ABOVE_ALL_PATHS = String.fromCodePoint(LAST_CODE_POINT).repeat(64)

/**
 * The smallest string above every string that starts with `prefix`, so that a prefix is the range
 * `prefix <= path < successor`. In byte order of UTF-8, which is code point order.
 */
export function prefixSuccessor(prefix: string): string {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (points.at(-1) === LAST_CODE_POINT) points.pop()
  const last = points.pop()
  if (last === undefined) return ABOVE_ALL_PATHS
  // Surrogates have no UTF-8 encoding: the code point after U+D7FF is U+E000.
  const next = last === 0xd7ff ? 0xe000 : last + 1
  return String.fromCodePoint(...points, next)
}

/** The smallest string above `path`: PostgreSQL text has no NUL, so U+0001 is the first character. */
export function justAfter(path: string): string {
  return `${path}\u0001`
}

/** The folders above a path, the outermost first. */
export function foldersOf(path: string): string[] {
  const folders: string[] = []
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at))
  return folders
}

/** Two paths that no disk can hold as files at once: one of them would be a folder above the other. */
export interface PathClash {
  readonly path: string
  readonly other: string
}

/** Steps of a search for clashes between two pauses: some milliseconds. */
const STEPS_AT_ONCE = 4096

/**
 * Each of `paths` that is a folder above one of `others`, or below one of them, with the first such other. Paths are
 * compared by their exact bytes, as everywhere: names that differ in letter case alone are two files. Its time grows
 * with the segments of all folders, not with the pairs of paths.
 */
export function clashesBetween(paths: Iterable<string>, others: Iterable<string>): PathClash[] {
  const search = searchClashes(paths, others)
  for (;;) {
    const step = search.next()
    if (step.done) return step.value
  }
}

/** `clashesBetween` that pauses, so that its caller can do other work in between: paths may have millions of folders. */
export function* searchClashes(
  paths: Iterable<string>,
  others: Iterable<string>,
): Generator<undefined, PathClash[], undefined> {
  const files = new Set<string>()
  const firstIn = new Map<string, string>()
  let steps = 0
  for (const other of others) {
    files.add(other)
    if (++steps % STEPS_AT_ONCE === 0) yield
    // The folders above one that is known are known too.
    for (let at = other.lastIndexOf('/'); at > 0; at = other.lastIndexOf('/', at - 1)) {
      const folder = other.slice(0, at)
      if (firstIn.has(folder)) break
      firstIn.set(folder, other)
      if (++steps % STEPS_AT_ONCE === 0) yield
    }
  }
  const fileAbove = new Map<string, string | undefined>()
  const found: PathClash[] = []
  for (const path of paths) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    let file = fileAbove.get(folder)
    if (!fileAbove.has(folder)) {
      const above = foldersOf(path)
      file = above.find((one) => files.has(one))
      fileAbove.set(folder, file)
      // Counted for all folders of the path at once, of which it has 512 at most.
      const before = steps
      steps += above.length
      if (Math.floor(before / STEPS_AT_ONCE) < Math.floor(steps / STEPS_AT_ONCE)) yield
    }
    if (++steps % STEPS_AT_ONCE === 0) yield
    const other = file ?? firstIn.get(path)
    if (other !== undefined) found.push({ path, other })
  }
  return found
}

/** The last segment: the file name of a download. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
