/**
 * Paths as MuJoCo reads them: text that is joined and normalised, never looked up on a disk. `\` separates like `/`.
 */

/**
 * Whether MuJoCo puts no folder before it: `/x`, `\x`, `C:/x`, `package://x`, and any path that contains `:/` or `:\`.
 */
export function isAbsolutePath(path: string): boolean {
  return /^[/\\]|:[/\\]/.test(path)
}

/**
 * `b` below `a`, or only `b` if it is absolute; `.` and `..` are resolved as text, so that folders need not exist. Each
 * part is resolved separately first, and `.//b` comes out of that as the absolute `/b`.
 */
export function joinPath(a: string, b: string): string {
  const above = reduce(a)
  const below = reduce(b)
  if (isAbsolutePath(below)) return below
  return reduce(above === '' || above.endsWith('/') ? above + below : `${above}/${below}`)
}

/**
 * The last part is never reduced, even when it is `..`; a `..` with nothing before it stays, and so does an empty part.
 */
function reduce(path: string): string {
  const prefix = absolutePrefix(path)
  const parts = path.slice(prefix.length).split(/[/\\]/)
  const last = parts.pop() ?? ''
  const kept: string[] = []
  for (const part of parts) {
    if (part === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else if (part !== '.') kept.push(part)
  }
  return prefix + [...kept, last].join('/')
}

/** The first `:/` counts; `:\` counts only if there is no `:/`. */
function absolutePrefix(path: string): string {
  if (/^[/\\]/.test(path)) return path.slice(0, 1)
  const slash = path.indexOf(':/')
  const at = slash === -1 ? path.indexOf(':\\') : slash
  return at === -1 ? '' : path.slice(0, at + 2)
}

/** The folder of a file, without the separator: `''` for a file at the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, lastSeparator(path)))
}

/** What follows the last separator. */
export function baseNameOf(path: string): string {
  return path.slice(lastSeparator(path) + 1)
}

/**
 * From the last dot of the whole path on, dot included and case kept; `''` without a dot. A dot in a folder name
 * counts, as it does for MuJoCo.
 */
export function extensionOf(path: string): string {
  const dot = path.lastIndexOf('.')
  return dot === -1 ? '' : path.slice(dot)
}

function lastSeparator(path: string): number {
  return Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
}

/**
 * The path of the repo that a joined path names, null for one outside: absolute ones, and those that leave it through
 * `..`. Doubled separators count once, as a disk reads them.
 */
export function inRepo(path: string): string | null {
  if (path === '' || isAbsolutePath(path) || path.includes('\0')) return null
  const parts: string[] = []
  for (const part of path.split(/[/\\]/)) {
    if (part === '..') {
      if (parts.pop() === undefined) return null
    } else if (part !== '' && part !== '.') {
      parts.push(part)
    }
  }
  return parts.length === 0 ? null : parts.join('/')
}
