/** FilePath (contract, "Identifiers and text rules"): what is a path of a file, and byte order on paths. Pure. */
import { z } from 'zod'
import { isGitName } from './git-name.ts'

const MAX_PATH_BYTES = 1024
const MAX_SEGMENT_BYTES = 255

/** C0, DEL and C1. */
const control = /\p{Cc}/u

/** Why `path` is not a FilePath, as a clause that follows "The path …"; null when it is one. */
export function pathFault(path: string): string | null {
  if (path === '') return 'is empty'
  if (!path.isWellFormed()) return 'is not valid Unicode'
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes of UTF-8`
  if (control.test(path)) return 'holds a control character'
  if (path.includes('\\')) return 'holds a backslash; segments are separated by /'
  if (path !== path.normalize('NFC')) return 'is not in Unicode normal form C (NFC)'
  if (path.startsWith('/')) return 'starts with /'
  if (path.endsWith('/')) return 'ends with /'
  return segmentFault(path.split('/'))
}

function segmentFault(segments: readonly string[]): string | null {
  for (const segment of segments) {
    if (segment === '') return 'has an empty segment'
    if (segment === '.' || segment === '..') return `has the segment ${segment}`
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return `has a segment longer than ${MAX_SEGMENT_BYTES} bytes`
  }
  return null
}

/** Like `pathFault`, for a path that is made here: it also refuses what a checkout would act on. Such a path that is there already can be read and deleted. */
export function newPathFault(path: string): string | null {
  const fault = pathFault(path)
  if (fault !== null) return fault
  const git = path.split('/').find(isGitName)
  return git === undefined ? null : `has the segment ${JSON.stringify(git)}, which a file system may take for .git`
}

const pathRule = (faultOf: (path: string) => string | null) =>
  z.string().superRefine((path, context) => {
    const fault = faultOf(path)
    if (fault)
      context.addIssue({
        code: 'custom',
        message: `The path ${shown(path)} ${fault}.`,
        params: { type: 'validation.path' },
      })
  })

/** A FilePath that is read or deleted; the issue says what is wrong and which path it is. */
export const filePath = pathRule(pathFault)

/** A FilePath that is made: by every operation that puts a file into a repo. */
export const newFilePath = pathRule(newPathFault)

/** A path as a message shows it: quoted, escaped, cut. */
function shown(path: string): string {
  return JSON.stringify(path.length > 100 ? `${path.slice(0, 100)}…` : path)
}

const LAST_CODE_POINT = 0x10ffff

/** Above every FilePath in byte order: more of the last code point than one segment has room for. */
const ABOVE_ALL_PATHS = String.fromCodePoint(LAST_CODE_POINT).repeat(64)

/**
 * The smallest string above every string that starts with `prefix`, so that a prefix is the range `prefix <= path < successor`.
 * In byte order of UTF-8, which is code point order.
 */
export function prefixSuccessor(prefix: string): string {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (points.at(-1) === LAST_CODE_POINT) points.pop()
  const last = points.pop()
  if (last === undefined) return ABOVE_ALL_PATHS
  // The surrogate block has no UTF-8: the code point after U+D7FF is U+E000.
  const next = last === 0xd7ff ? 0xe000 : last + 1
  return String.fromCodePoint(...points, next)
}

/** The least string above `path` among FilePaths and prefixes of them: PostgreSQL text has no NUL, so U+0001 comes first. */
export function justAfter(path: string): string {
  return `${path}\u0001`
}

/** The last segment: the name a download is saved under. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
