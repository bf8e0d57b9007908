/** Keeps pulled files inside one folder, whatever the hub's listing contains. */
import { createHash } from 'node:crypto'
import { lstat, mkdir, realpath } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { foldersOf, newPathFault } from '@hub/text/file-path'
import { isGitName } from '@hub/text/git-name'
import { PARTIAL_PREFIX } from './left-out-names.ts'
import { LocalError } from './problem.ts'

interface Listed {
  readonly path: string
}

/**
 * Throws if the listing has a path outside the folder or one that Git would act on; then nothing of the repo is
 * written.
 */
export function assertSafeListing(entries: readonly Listed[], platform: NodeJS.Platform = process.platform): void {
  const paths = new Set(entries.map((entry) => entry.path))
  const faults: string[] = []
  for (const path of paths) {
    const wrong = newPathFault(path) ?? (platform === 'win32' ? windowsFault(path) : null)
    if (wrong) faults.push(`${JSON.stringify(path)} ${wrong}`)
    for (const folder of foldersOf(path))
      if (paths.has(folder)) faults.push(`${JSON.stringify(folder)} is a file and a folder`)
  }
  if (faults.length > 0)
    throw new LocalError('The repo has paths that cannot be written safely; nothing was written.', faults)
}

/** Windows device names (with any extension), alternate data streams, and names that Windows silently shortens. */
function windowsFault(path: string): string | null {
  for (const segment of path.split('/')) {
    if (/[<>:"|?*]/.test(segment)) return 'contains a character that Windows does not allow in file names'
    if (/[. ]$/.test(segment)) return 'has a segment that ends in a dot or space, which Windows strips'
    if (/^(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i.test(segment))
      return `has the segment ${JSON.stringify(segment)}, which is a Windows device name`
  }
  return null
}

/** Groups of paths that collide on a case-insensitive file system. */
export function caseCollisions(entries: readonly Listed[]): string[][] {
  const groups = new Map<string, string[]>()
  for (const { path } of entries) {
    const folded = path.toLowerCase()
    groups.set(folded, [...(groups.get(folded) ?? []), path])
  }
  return [...groups.values()].filter((group) => group.length > 1)
}

export interface Landing {
  readonly target: string
  /** In the same folder; its name depends on the content, so that a later pull can resume it. */
  readonly partial: string
}

/** Where a path of the repo is in a folder. */
export const localPath = (root: string, path: string) => join(root, ...path.split('/'))

/** Parent folders that were made and found safe a moment ago: for files that land together, never for a whole pull. */
export type SafeFolders = Map<string, Promise<string>>

/**
 * Creates the parent folders of a path. `version` tells one content of it from another. Throws on a link that leaves
 * `root` (a real path) or points into Git's own files. Folders in `safe` are not looked at again.
 */
export async function landingOf(
  root: string,
  path: string,
  version: string,
  safe: SafeFolders = new Map(),
): Promise<Landing> {
  const target = localPath(root, path)
  const above = path.slice(0, Math.max(0, path.lastIndexOf('/')))
  const making = safe.get(above) ?? safeFolder(root, path)
  safe.set(above, making)
  const folder = await making
  const old = await lstat(target).catch(() => null)
  if (old?.isDirectory()) throw new LocalError(`a folder is in its place: ${target}`)
  const identity = createHash('sha256').update(`${path}\n${version}`).digest('hex')
  return { target, partial: join(folder, `${PARTIAL_PREFIX}${identity.slice(0, 24)}`) }
}

async function safeFolder(root: string, path: string): Promise<string> {
  const above = path.split('/').slice(0, -1)
  let folder = root
  for (const name of above) {
    folder = join(folder, name)
    await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    const real = await realpath(folder)
    if (real !== root && !real.startsWith(root + sep))
      throw new LocalError(`${folder} is a symbolic link that leaves the folder`)
    if (relative(root, real).split(sep).some(isGitName))
      throw new LocalError(`${folder} is a symbolic link into ${real}`)
    if (!(await lstat(real)).isDirectory()) throw new LocalError(`${folder} is not a folder`)
  }
  return above.length === 0 ? root : dirname(join(root, ...path.split('/')))
}
