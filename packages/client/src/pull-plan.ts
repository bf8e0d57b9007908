/** Compares a folder with the files of a repo, and finds what a pull must not overwrite. */
import { constants, type Stats } from 'node:fs'
import { access, lstat, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import pMap from 'p-map'
import { digestAt, type ReadBytes } from './hash.ts'
import { localPath } from './landing.ts'
import type { Progress } from './progress.ts'
import type { RemoteFile } from './shapes.ts'
import type { TransferState } from './state.ts'

/** A file of the repo to fetch, and what is in its place now. */
export interface Incoming {
  readonly entry: RemoteFile
  readonly before: Before
}

/** What was in a file's place when it was compared; null: nothing. */
export type Before = Pick<Stats, 'size' | 'mtimeMs' | 'ctimeMs' | 'ino'> | null

export interface Conflict {
  readonly path: string
  readonly why: string
}

export interface PullPlan {
  readonly fetch: Incoming[]
  readonly same: RemoteFile[]
  /** In the folder with content of its own; sorted by path. */
  readonly conflicts: Conflict[]
}

interface Comparing {
  /** The real path of the folder; null if there is none yet. */
  readonly root: string | null
  readonly state: TransferState
  /** Overwrites whatever is in a file's place. */
  readonly force: boolean
  readonly jobs: number
  readonly progress: Progress
  readonly signal: AbortSignal
}

/**
 * Hashes what the folder has in the place of each entry. An entry may be fetched if nothing is there, or what was
 * pulled or pushed before, unedited.
 */
export async function planPull(entries: readonly RemoteFile[], comparing: Comparing): Promise<PullPlan> {
  const { root, progress } = comparing
  const plan: PullPlan = { fetch: [], same: [], conflicts: [] }
  if (root === null) return { ...plan, fetch: entries.map((entry) => ({ entry, before: null })) }
  const verdicts = new Map<RemoteFile, Incoming | Conflict | null>()
  progress.begin(
    'hash',
    entries.length,
    entries.reduce((sum, entry) => sum + entry.size, 0),
  )
  await pMap(
    entries,
    async (entry) => {
      comparing.signal.throwIfAborted()
      let left = entry.size
      let how: 'known' | undefined = 'known'
      const read: ReadBytes = (count, was) => {
        how = was
        // What is here may be longer than what the repo has.
        const counted = Math.min(left, count)
        left -= counted
        progress.bytes(counted, was)
      }
      verdicts.set(entry, await compare(entry, localPath(root, entry.path), comparing, read))
      progress.bytes(left, 'known')
      progress.file(entry.path, how)
    },
    { concurrency: comparing.jobs },
  )
  progress.end()
  for (const entry of entries) {
    const verdict = verdicts.get(entry) ?? null
    if (verdict === null) plan.same.push(entry)
    else if ('why' in verdict) plan.conflicts.push(verdict)
    else plan.fetch.push(verdict)
  }
  return plan
}

/** Null: equal. */
async function compare(entry: RemoteFile, file: string, { state, force, signal }: Comparing, read: ReadBytes) {
  const before = await lstat(file).catch(() => null)
  // A folder in its place fails the file where it would be written, unless the removal of its files has removed it by
  // then.
  if (before === null || before.isDirectory()) return { entry, before: null }
  const incoming: Incoming = { entry, before }
  const conflict = (why: string): Incoming | Conflict => (force ? incoming : { path: entry.path, why })
  // A link is replaced, never written through; what it leads to is only read.
  const isFile =
    before.isFile() || (before.isSymbolicLink() && ((await stat(file).catch(() => null))?.isFile() ?? false))
  if (!isFile) return conflict('something else than a file is in its place')
  if (!(await isReadable(file))) return conflict('the file here cannot be read')
  const remote = state.digestOf(entry)
  const synced = state.syncedOf(file)
  // A file of another size differs without being read, and is unedited only if its content is what it was.
  const mayMatter = synced !== null || (remote !== null && (await stat(file)).size === entry.size)
  const local = mayMatter ? await digestAt(file, state, signal, read) : null
  if (local !== null && local === remote) {
    state.rememberSynced(file, entry.path, local)
    return null
  }
  if (before.isFile() && local !== null && local === synced) return incoming
  if (synced === null) return conflict('a different file is here that was neither pulled nor pushed from here')
  return conflict(synced === remote ? 'it was edited here' : 'it was edited here, and it has changed in the repo')
}

const isReadable = (file: string) =>
  access(file, constants.R_OK).then(
    () => true,
    () => false,
  )

/** Whether the place of a file is as it was when it was compared. */
export async function isUntouched(file: string, before: Before): Promise<boolean> {
  const now = await lstat(file).catch(() => null)
  if (now === null || before === null) return now === before
  return (
    now.size === before.size &&
    now.mtimeMs === before.mtimeMs &&
    now.ctimeMs === before.ctimeMs &&
    now.ino === before.ino
  )
}

export interface Removable {
  /** Local files to delete, with the paths that the repo had them under. */
  readonly remove: Array<{ readonly path: string; readonly file: string }>
  /** Paths of files that were edited since. */
  readonly kept: string[]
}

/**
 * What was pulled into this folder, is no longer in the repo and has not been edited; sorted by path. A file that the
 * repo had under another path is not of this folder: a folder in it was pulled or pushed by itself.
 */
export async function findRemovable(
  root: string,
  listed: ReadonlySet<string>,
  matches: (path: string) => boolean,
  { state, signal }: { readonly state: TransferState; readonly signal: AbortSignal },
): Promise<Removable> {
  const removable: Removable = { remove: [], kept: [] }
  for (const { file, path, sha256 } of state.synced()) {
    if (path === undefined || file !== localPath(root, path)) continue
    if (listed.has(path) || !matches(path)) continue
    const stats = await lstat(file).catch(() => null)
    if (stats === null) state.forgetSynced(file)
    // Not through a link, which may lead out of the folder.
    else if (!stats.isFile() || (await realpath(dirname(file))) !== dirname(file)) removable.kept.push(path)
    else if ((await digestAt(file, state, signal)) === sha256) removable.remove.push({ path, file })
    else removable.kept.push(path)
  }
  removable.remove.sort((a, b) => (a.path < b.path ? -1 : 1))
  removable.kept.sort()
  return removable
}
