/** Selects paths by `include` and `exclude` patterns. */

import { foldersOf } from '@hub/text/file-path'
import picomatch from 'picomatch'

export interface PathFilter {
  /** Empty: everything. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

export const everything: PathFilter = { include: [], exclude: [] }

export interface PathRules {
  /** Whether the filter selects the file at this path. */
  matches(path: string): boolean
  /** Whether a pattern excludes this path itself: of a folder, also everything below it. */
  excludes(path: string): boolean
  /** Whether the filter may select a file below this folder. */
  mayHold(folder: string): boolean
  /**
   * Whether an include pattern names this path, and not only everything around it: `.env`, `keys/*.pem`, but not
   * `keys/**`.
   */
  names(path: string): boolean
}

/**
 * Compiles a filter. A pattern without `/` matches the last segment at any depth (`*.png`), one that ends in `/`
 * matches everything below that folder, and any other matches the whole path (`meshes/**`). Dot files match like
 * others; `exclude` wins, and of a folder that it matches it excludes everything.
 */
export function pathRules(filter: PathFilter): PathRules {
  const include = filter.include.map(patternTest)
  const exclude = filter.exclude.map(patternTest)
  const bases = filter.include.map(baseOf)
  const naming = filter.include.filter(isNaming).map(patternTest)
  const excludes = (path: string) => exclude.some((test) => test(path))
  return {
    matches: (path) =>
      (include.length === 0 || include.some((test) => test(path))) &&
      !excludes(path) &&
      !foldersOf(path).some(excludes),
    excludes,
    mayHold: (folder) => bases.length === 0 || bases.some((base) => isAlong(folder, base)),
    names: (path) => naming.some((test) => test(path)),
  }
}

/** The test of `pathRules` for files alone. */
export function pathTest(filter: PathFilter): (path: string) => boolean {
  return pathRules(filter).matches
}

const plain = (pattern: string) => pattern.replace(/^\//, '').normalize('NFC')

function patternTest(pattern: string): (path: string) => boolean {
  const whole = pattern.endsWith('/') ? `${pattern}**` : pattern
  // With `posix`, `[!a]` is what is not an `a`, as in a shell and in Git.
  const test = picomatch(plain(whole), { dot: true, posix: true })
  return whole.includes('/') ? test : (path) => test(path.slice(path.lastIndexOf('/') + 1))
}

/** The folder that everything which a pattern matches is in; empty if it may be anywhere. */
function baseOf(pattern: string): string {
  if (!pattern.includes('/')) return ''
  const { base, isGlob } = picomatch.scan(plain(pattern))
  return isGlob || pattern.endsWith('/') ? base.replace(/\/+$/, '') : base.slice(0, Math.max(0, base.lastIndexOf('/')))
}

/** Whether one of the two folders is in the other, or is it. */
function isAlong(folder: string, base: string): boolean {
  return base === '' || `${base}/`.startsWith(`${folder}/`) || folder.startsWith(`${base}/`)
}

const isNaming = (pattern: string) => /[^*?]/.test(pattern.slice(pattern.lastIndexOf('/') + 1))
