/** Selects paths by `include` and `exclude` patterns. */
import picomatch from 'picomatch'

export interface PathFilter {
  /** Empty: everything. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

export const everything: PathFilter = { include: [], exclude: [] }

/**
 * Compiles a filter. A pattern without `/` matches the last segment at any depth (`*.png`), one that ends in `/` matches
 * everything below that folder, and any other matches the whole path (`meshes/**`). Dot files match like others; `exclude` wins.
 */
export function pathTest(filter: PathFilter): (path: string) => boolean {
  const include = filter.include.map(patternTest)
  const exclude = filter.exclude.map(patternTest)
  return (path) => (include.length === 0 || include.some((test) => test(path))) && !exclude.some((test) => test(path))
}

function patternTest(pattern: string): (path: string) => boolean {
  const whole = pattern.endsWith('/') ? `${pattern}**` : pattern
  const test = picomatch(whole.replace(/^\//, '').normalize('NFC'), { dot: true })
  return whole.includes('/') ? test : (path) => test(path.slice(path.lastIndexOf('/') + 1))
}
