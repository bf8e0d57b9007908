/**
 * A local folder as a repo would show it after a push: case-sensitive NFC names; links are followed while they stay
 * inside.
 */
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { pathFault } from '@hub/text/file-path'
import { limits } from '../limits.ts'
import type { FileWaves } from '../processes/reading-pool.ts'

/** A folder or file of this machine that cannot be read, in a sentence. */
export class FolderError extends Error {}

export interface LocalFiles extends FileWaves {
  /** Requested files that exist but that a push would reject, one sentence each. */
  readonly notes: ReadonlySet<string>
  /** Each path on this machine; null for a missing file. */
  placesOf(paths: readonly string[]): Promise<(string | null)[]>
}

/** Rejects with a `FolderError` if `dir` is not a folder; later reads reject with one if a file cannot be read. */
export async function localFiles(dir: string): Promise<LocalFiles> {
  const root = await realpath(dir).catch(() => null)
  if (root === null || !(await stat(root)).isDirectory()) throw new FolderError(`${dir} is not a folder.`)
  const notes = new Set<string>()
  const find = finder(root, notes)
  const sizeOf = async (path: string) => (await find(path))?.sizeBytes ?? null
  const read = async (path: string) => {
    const found = await find(path)
    return found ? readStart(found.file, Math.min(found.sizeBytes, limits.fileBytes + 1), path) : null
  }
  return {
    notes,
    readFiles: (paths) => Promise.all(paths.map(read)),
    sizesOf: (paths) => Promise.all(paths.map(sizeOf)),
    placesOf: (paths) => Promise.all(paths.map(async (path) => (await find(path))?.file ?? null)),
  }
}

interface Found {
  readonly file: string
  readonly sizeBytes: number
}

/** Resolves a path segment by segment: some file systems ignore case or Unicode form, a repo does not. */
function finder(root: string, notes: Set<string>): (path: string) => Promise<Found | null> {
  const folders = new Map<string, Promise<ReadonlyMap<string, string>>>()
  const namesIn = (folder: string) => {
    const known = folders.get(folder) ?? namesOf(folder)
    folders.set(folder, known)
    return known
  }
  return async (path) => {
    if (pathFault(path) !== null) return null
    let file = root
    for (const name of path.split('/')) {
      const localName = (await namesIn(file)).get(name)
      if (localName === undefined) return null
      const target = await realpath(join(file, localName)).catch(() => null)
      if (target === null) return null
      if (!target.startsWith(root + sep)) {
        notes.add(`${path} is a symbolic link that leaves the folder: a push refuses it, so it counts as missing.`)
        return null
      }
      file = target
    }
    const stats = await stat(file).catch(() => null)
    // Opening a pipe or a device could block forever.
    return stats?.isFile() ? { file, sizeBytes: stats.size } : null
  }
}

/** Maps NFC names to names on disk; empty if this is not a folder. */
async function namesOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOTDIR' || error.code === 'ENOENT') return []
    throw new FolderError(`The folder ${folder} cannot be read: ${error.message}`)
  })
  return new Map(names.map((name) => [name.normalize('NFC'), name]))
}

async function readStart(file: string, lengthBytes: number, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(lengthBytes)
  const handle = await open(file, 'r').catch((error: Error) => {
    throw new FolderError(`${path} cannot be read: ${error.message}`)
  })
  try {
    let read = 0
    while (read < lengthBytes) {
      const { bytesRead } = await handle.read(bytes, read, lengthBytes - read, read)
      if (bytesRead === 0) throw new FolderError(`${path} changed while it was being read.`)
      read += bytesRead
    }
    return bytes
  } finally {
    await handle.close()
  }
}
