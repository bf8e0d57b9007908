/** Event files below a folder. They are looked for again and again: one watcher for each folder would have no bound. */
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface EventFile {
  readonly file: string
  /** Its folder below the one that was looked through, with `/`; empty for that folder itself. TensorBoard's run. */
  readonly run: string
}

/** Folders that one look opens. A training has few; a wrong folder (a home) has many. */
const MAX_FOLDERS = 10_000
const MAX_FILES = 1000

/**
 * All files below `root` whose names have `tfevents`: folder by folder, and in a folder in the order in which they were
 * begun, since a name holds that time. Hidden folders, `node_modules` and links to folders are passed over. `isCut`:
 * there may be more, over 10,000 folders or 1,000 files.
 */
export async function eventFilesIn(root: string): Promise<{ readonly files: EventFile[]; readonly isCut: boolean }> {
  const files: EventFile[] = []
  const runs = ['']
  let opened = 0
  for (let run = runs.shift(); run !== undefined; run = runs.shift()) {
    if (opened === MAX_FOLDERS) return { files, isCut: true }
    opened += 1
    const folder = join(root, run)
    for (const entry of await entriesOf(folder)) {
      if (entry.isDirectory() && isLookedThrough(entry.name))
        runs.push(run === '' ? entry.name : `${run}/${entry.name}`)
      if (!entry.isFile() || !entry.name.includes('tfevents')) continue
      if (files.length === MAX_FILES) return { files, isCut: true }
      files.push({ file: join(folder, entry.name), run })
    }
  }
  return { files, isCut: false }
}

const isLookedThrough = (name: string) => !name.startsWith('.') && name !== 'node_modules'

/** By name. None of a folder that has gone or may not be read: it is another program's. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(error.code ?? '')) return []
    throw error
  })
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}
