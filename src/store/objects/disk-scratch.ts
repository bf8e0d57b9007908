/** The disk store's room for unfinished work, and what becomes of it after a crash. */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { closeToOthers, FOLDER_MODE } from '../private-folder.ts'
import { isUploadId, type Layout } from './disk-layout.ts'
import { makeDirectories } from './disk-write.ts'

const SEALED = 'sealed-'

/** Scratch directories of this process. By its id alone they would look like those of a dead process with the same id. */
const ownRooms = new Set<string>()

export interface Scratch {
  /** A path that nothing has yet. */
  fresh(): string
  /** Where an upload is while it is being completed: out of reach of its part URLs, and found again after a crash. */
  sealed(uploadId: string): string
  /** Removes `path` atomically, then frees its bytes. False if it did not exist. */
  discard(path: string): Promise<boolean>
  close(): Promise<void>
}

/** Makes the store's directories, closes those that were open to other users, and opens a scratch directory for this process after removing those of dead ones. */
export async function openScratch(layout: Layout): Promise<Scratch> {
  for (const directory of [layout.root, layout.objects, layout.uploads, layout.tmp]) {
    await makeDirectories(directory)
    await closeToOthers(directory)
  }
  await clearDeadRooms(layout)
  const name = `${process.pid}-${randomBytes(6).toString('hex')}`
  const room = join(layout.tmp, name)
  ownRooms.add(name)
  await mkdir(room, { mode: FOLDER_MODE })
  const fresh = () => join(room, randomBytes(12).toString('hex'))
  return {
    fresh,
    sealed: (uploadId) => join(room, `${SEALED}${uploadId}`),
    discard: async (path) => {
      const trash = fresh()
      try {
        await rename(path, trash)
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
        throw error
      }
      await rm(trash, { recursive: true, force: true })
      return true
    },
    close: async () => {
      await rm(room, { recursive: true, force: true })
      ownRooms.delete(name)
    },
  }
}

/** An upload whose completion was cut short goes back to where it can be completed again; all else was never visible. */
async function clearDeadRooms(layout: Layout): Promise<void> {
  for (const name of await readdir(layout.tmp)) {
    if (ownRooms.has(name) || isAlive(Number.parseInt(name, 10))) continue
    const room = join(layout.tmp, name)
    for (const entry of await readdir(room)) {
      const uploadId = entry.slice(SEALED.length)
      if (entry.startsWith(SEALED) && isUploadId(uploadId))
        await rename(join(room, entry), join(layout.uploads, uploadId))
    }
    await rm(room, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
