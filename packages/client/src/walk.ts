/** Lists the files of a folder for a push. */
import { type BigIntStats, type Dirent, statSync } from 'node:fs'
import { opendir, realpath, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { newPathFault } from '@hub/text/file-path'
import { everything, type PathFilter } from './globs.ts'
import { type LeaveOutOptions, type Leaving, type LeftOut, leavingOut, nothingLeftOut } from './left-out.ts'
import { type NearFolders, nearFolders } from './near-folders.ts'
import { LocalError } from './problem.ts'

/** `file` is the local path, `path` the path in the repo (NFC, `/`). Times are nanoseconds. */
export interface LocalFile {
  readonly path: string
  readonly file: string
  readonly size: number
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  readonly ino: bigint
  /** Whether its folder is on a disk of this machine. */
  readonly isNear: boolean
}

export interface WalkedFolder {
  /** In byte order of path. */
  readonly files: LocalFile[]
  /** In byte order of path. What `--exclude` or `--include` leaves out is not listed. */
  readonly leftOut: LeftOut[]
  /** Paths of files that hold credentials and that an include pattern names. */
  readonly includedSecrets: ReadonlySet<string>
  /** Whether a path of the repo is one that this folder's rules leave out. */
  leavesOut(path: string): boolean
}

/**
 * All files below `dir` that are selected and not left out. What is excluded or left out is neither opened nor
 * followed: a link into a file system that hangs is harmless then. Symbolic links are followed while they stay inside
 * `dir`. Rejects with one `LocalError` that lists every path which cannot be pushed: invalid names, links that leave
 * the folder or form a cycle, two names with the same NFC form, sockets and devices, unreadable files.
 */
export async function walkToPush(
  dir: string,
  options: LeaveOutOptions,
  near: NearFolders = nearFolders(),
): Promise<WalkedFolder> {
  const root = await realpath(dir).catch(() => null)
  if (root === null || !(await stat(root)).isDirectory()) throw new LocalError(`${dir} is not a folder.`)
  const leaving = leavingOut(options)
  const walk: Walk = { root, leaving, near, files: new Map(), leftOut: [], includedSecrets: new Set(), faults: [] }
  await enter(walk, root, '', [root])
  if (walk.faults.length > 0) {
    const many = walk.faults.length === 1 ? 'One path' : `${walk.faults.length} paths`
    throw new LocalError(`${many} in ${dir} cannot be pushed; nothing was sent.`, walk.faults)
  }
  const files = [...walk.files.values()].sort(byPath)
  const { leftOut, includedSecrets } = walk
  return { files, leftOut: leftOut.sort(byPath), includedSecrets, leavesOut: leaving.leavesOut }
}

/** All files of a folder that the filter selects. */
export async function walkFolder(dir: string, filter: PathFilter = everything): Promise<LocalFile[]> {
  return (await walkToPush(dir, { filter, ...nothingLeftOut })).files
}

const byPath = (a: { readonly path: string }, b: { readonly path: string }) =>
  Buffer.compare(Buffer.from(a.path), Buffer.from(b.path))

/** Of a folder, from one look at the disk; other work has its turn between two. */
const ENTRIES_AT_ONCE = 256

interface Walk {
  readonly root: string
  readonly leaving: Leaving
  readonly near: NearFolders
  readonly files: Map<string, LocalFile>
  readonly leftOut: LeftOut[]
  readonly includedSecrets: Set<string>
  readonly faults: string[]
}

/** `trail` holds the real paths of all folders from the root; a repeated one is a cycle. */
async function enter(walk: Walk, folder: string, path: string, trail: readonly string[]): Promise<void> {
  await walk.leaving.enter(path, folder)
  const entries = await opendir(folder, { bufferSize: ENTRIES_AT_ONCE }).catch(() => null)
  if (entries === null) return fault(walk, path, 'is a folder that cannot be listed')
  const isNear = await walk.near(folder)
  for await (const entry of entries) await look({ walk, folder, isNear, above: path, entry, trail })
}

/** One entry of a folder: whether it is wanted is decided by its path, before it is opened. */
async function look({
  walk,
  folder,
  isNear,
  above,
  entry,
  trail,
}: {
  readonly walk: Walk
  readonly folder: string
  readonly isNear: boolean
  readonly above: string
  readonly entry: Dirent
  readonly trail: readonly string[]
}): Promise<void> {
  const { leaving } = walk
  const name = entry.name.normalize('NFC')
  const path = above === '' ? name : `${above}/${name}`
  const file = join(folder, entry.name)
  if (leaving.isNever(path) || leaving.rules.excludes(path)) return
  const isLink = entry.isSymbolicLink()
  const mayBeFolder = entry.isDirectory() || isLink
  // A link may be either, and is not followed to find out.
  const left = (mayBeFolder ? leaving.folder(path) : null) ?? (entry.isDirectory() ? null : leaving.file(path))
  if (left) {
    const wanted = mayBeFolder ? leaving.rules.mayHold(path) : leaving.rules.matches(path)
    if (wanted) walk.leftOut.push(isLink ? { ...left, path } : left)
    return
  }
  if (mayBeFolder && !leaving.rules.mayHold(path) && !leaving.rules.matches(path)) return
  if (entry.isDirectory()) return enter(walk, file, path, [...trail, file])
  if (isLink) return follow(walk, file, path, trail)
  if (leaving.rules.matches(path)) return take(walk, file, path, isNear)
}

async function follow(walk: Walk, file: string, path: string, trail: readonly string[]): Promise<void> {
  const target = await realpath(file).catch(() => null)
  const stats = target === null ? null : await stat(target).catch(() => null)
  if (target === null || stats === null) return fault(walk, path, 'is a broken symbolic link')
  const inside = target === walk.root || target.startsWith(walk.root + sep)
  if (stats.isDirectory()) {
    if (!inside) return fault(walk, path, 'is a symbolic link that leaves the folder')
    if (trail.includes(target)) return fault(walk, path, 'is a symbolic link to a folder that contains it')
    return enter(walk, target, path, [...trail, target])
  }
  if (!walk.leaving.rules.matches(path)) return
  if (!inside) return fault(walk, path, 'is a symbolic link that leaves the folder')
  return take(walk, target, path, await walk.near(dirname(target)))
}

async function take(walk: Walk, file: string, path: string, isNear: boolean): Promise<void> {
  const wrong = newPathFault(path)
  if (wrong) return fault(walk, path, wrong)
  const stats = isNear ? statsOf(file) : await stat(file, { bigint: true }).catch(() => null)
  if (stats === null) return fault(walk, path, 'cannot be read')
  if (!stats.isFile()) return fault(walk, path, 'is neither a file nor a folder')
  const secret = await walk.leaving.secret(path, file)
  if (secret === 'included') walk.includedSecrets.add(path)
  else if (secret) {
    walk.leftOut.push(secret)
    return
  }
  if (walk.files.has(path)) return fault(walk, path, 'is the name of two files that differ only in their Unicode form')
  walk.files.set(path, { path, file, ...signature(stats), isNear })
}

/** On the spot: one file after another, the way to another thread and back would cost ten times as much. */
function statsOf(file: string): BigIntStats | null {
  try {
    return statSync(file, { bigint: true })
  } catch {
    return null
  }
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
