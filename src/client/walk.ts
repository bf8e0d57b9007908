/** Lists the files of a folder for a push. */
import type { BigIntStats } from 'node:fs'
import { opendir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { newPathFault } from '../platform/file-path.ts'
import { everything, type PathFilter, pathTest } from './globs.ts'
import { LocalError } from './problem.ts'

/** Names that are never pushed, at any depth. */
const ignoredNames = new Set(['.git', '.DS_Store'])

/** Prefix of the temporary files of an unfinished pull; never pushed. */
export const PARTIAL_PREFIX = '.hub-part-'

/** `file` is the local path, `path` the path in the repo (NFC, `/`). Times are nanoseconds. */
export interface LocalFile {
  readonly path: string
  readonly file: string
  readonly size: number
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  readonly ino: bigint
}

/**
 * All files below `dir` that the filter matches, in byte order of path. Symbolic links are followed while they stay inside `dir`.
 * Rejects with one `LocalError` that lists every path which cannot be pushed: invalid names, links that leave the folder or form a cycle, two
 * names with the same NFC form, sockets and devices, unreadable files.
 */
export async function walkFolder(dir: string, filter: PathFilter = everything): Promise<LocalFile[]> {
  const root = await realpath(dir).catch(() => null)
  if (root === null || !(await stat(root)).isDirectory()) throw new LocalError(`${dir} is not a folder.`)
  const walk: Walk = { root, matches: pathTest(filter), files: new Map(), faults: [] }
  await enter(walk, root, '', [root])
  if (walk.faults.length > 0) {
    const many = walk.faults.length === 1 ? 'One path' : `${walk.faults.length} paths`
    throw new LocalError(`${many} in ${dir} cannot be pushed; nothing was sent.`, walk.faults)
  }
  return [...walk.files.values()].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
}

interface Walk {
  readonly root: string
  readonly matches: (path: string) => boolean
  readonly files: Map<string, LocalFile>
  readonly faults: string[]
}

/** `trail` holds the real paths of all folders from the root; a repeated one is a cycle. */
async function enter(walk: Walk, folder: string, prefix: string, trail: readonly string[]): Promise<void> {
  for await (const entry of await opendir(folder)) {
    if (ignoredNames.has(entry.name) || entry.name.startsWith(PARTIAL_PREFIX)) continue
    const path = prefix + entry.name.normalize('NFC')
    const file = join(folder, entry.name)
    if (entry.isDirectory()) await enter(walk, file, `${path}/`, [...trail, file])
    else if (entry.isSymbolicLink()) await follow(walk, file, path, trail)
    else if (walk.matches(path)) await take(walk, file, path)
  }
}

async function follow(walk: Walk, file: string, path: string, trail: readonly string[]): Promise<void> {
  const target = await realpath(file).catch(() => null)
  const stats = target === null ? null : await stat(target)
  if (target === null || stats === null) return fault(walk, path, 'is a broken symbolic link')
  const inside = target === walk.root || target.startsWith(walk.root + sep)
  if (stats.isDirectory()) {
    if (!inside) return fault(walk, path, 'is a symbolic link that leaves the folder')
    if (trail.includes(target)) return fault(walk, path, 'is a symbolic link to a folder that contains it')
    return enter(walk, target, `${path}/`, [...trail, target])
  }
  if (!walk.matches(path)) return
  if (!inside) return fault(walk, path, 'is a symbolic link that leaves the folder')
  return take(walk, target, path)
}

async function take(walk: Walk, file: string, path: string): Promise<void> {
  const wrong = newPathFault(path)
  if (wrong) return fault(walk, path, wrong)
  const stats = await stat(file, { bigint: true }).catch(() => null)
  if (stats === null) return fault(walk, path, 'cannot be read')
  if (!stats.isFile()) return fault(walk, path, 'is neither a file nor a folder')
  if (walk.files.has(path)) return fault(walk, path, 'is the name of two files that differ only in their Unicode form')
  walk.files.set(path, { path, file, ...signature(stats) })
}

function fault(walk: Walk, path: string, why: string): void {
  walk.faults.push(`${JSON.stringify(path)} ${why}`)
}

/** The attributes that show whether a file has changed. */
export function signature(stats: BigIntStats): Pick<LocalFile, 'size' | 'mtimeNs' | 'ctimeNs' | 'ino'> {
  return { size: Number(stats.size), mtimeNs: stats.mtimeNs, ctimeNs: stats.ctimeNs, ino: stats.ino }
}

/** Rejects when `local` has changed since it was walked. */
export async function assertUnchanged(local: LocalFile): Promise<void> {
  const now = await stat(local.file, { bigint: true }).catch(() => null)
  if (now === null || now.size !== BigInt(local.size) || now.mtimeNs !== local.mtimeNs || now.ino !== local.ino) {
    throw new LocalError(`${local.path} changed while it was being sent; push again.`)
  }
}
