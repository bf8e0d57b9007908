/** Which paths are meant: `include` and `exclude` patterns. */
import picomatch from 'picomatch'

export interface PathFilter {
  /** Empty: everything. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

export const everything: PathFilter = { include: [], exclude: [] }

/**
 * The test that a filter stands for. A pattern without `/` is held against the last segment at any depth (`*.png`), one that ends in `/` means
 * all below that folder, and any other is held against the whole path (`meshes/**`). Dot files match like others; `exclude` wins.
 */
export function pathTest(filter: PathFilter): (path: string) => boolean {
  const include = filter.include.map(oneTest)
  const exclude = filter.exclude.map(oneTest)
  return (path) => (include.length === 0 || include.some((test) => test(path))) && !exclude.some((test) => test(path))
}

function oneTest(pattern: string): (path: string) => boolean {
  const whole = pattern.endsWith('/') ? `${pattern}**` : pattern
  const test = picomatch(whole.replace(/^\//, '').normalize('NFC'), { dot: true })
  return whole.includes('/') ? test : (path) => test(path.slice(path.lastIndexOf('/') + 1))
}
