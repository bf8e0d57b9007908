/** Event files below a folder. They are looked for again and again: one watcher for each folder would have no bound. */
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface EventFile {
  readonly file: string
  /** Its folder below the one that was looked through, with `/`; empty for that folder itself. TensorBoard's run. */
  readonly run: string
}

interface LookOptions {
  /** Folders that one look opens. A training has few; a wrong folder (a home) has many. */
  readonly maxFolders?: number
  /** How far below `root` a folder may be. */
  readonly maxDepth?: number
  /** Which files count, by their names. */
  readonly isMeant?: (name: string) => boolean
}

const MAX_FOLDERS = 10_000
const MAX_FILES = 1000

/**
 * All files below `root` whose names have `tfevents`: folder by folder, and in a folder in the order in which they were
 * begun, since a name holds that time. Hidden folders, those of packages and links to folders are passed over. `isCut`:
 * there may be more, over 10,000 folders (or `maxFolders`) or 1,000 files.
 */
export async function eventFilesIn(
  root: string,
  { maxFolders = MAX_FOLDERS, maxDepth = Number.POSITIVE_INFINITY, isMeant = () => true }: LookOptions = {},
): Promise<{ readonly files: EventFile[]; readonly isCut: boolean }> {
  const files: EventFile[] = []
  const runs = ['']
  let opened = 0
  for (let run = runs.shift(); run !== undefined; run = runs.shift()) {
    if (opened === maxFolders) return { files, isCut: true }
    opened += 1
    const folder = join(root, run)
    for (const entry of await entriesOf(folder)) {
      if (entry.isDirectory() && isLookedThrough(entry.name) && depthOf(run) < maxDepth)
        runs.push(run === '' ? entry.name : `${run}/${entry.name}`)
      if (!entry.isFile() || !entry.name.includes('tfevents') || !isMeant(entry.name)) continue
      if (files.length === MAX_FILES) return { files, isCut: true }
      files.push({ file: join(folder, entry.name), run })
    }
  }
  return { files, isCut: false }
}

const PACKAGES: ReadonlySet<string> = new Set(['node_modules', 'site-packages', '__pycache__'])
const isLookedThrough = (name: string) => !name.startsWith('.') && !PACKAGES.has(name)

const depthOf = (run: string) => (run === '' ? 0 : run.split('/').length)

/** Another program's: it has gone, may not be read, or is of a server that is away. */
const UNREADABLE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'EIO', 'ESTALE'])

/** By name. None of a folder that cannot be read. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (UNREADABLE.has(error.code ?? '')) return []
    throw error
  })
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}
