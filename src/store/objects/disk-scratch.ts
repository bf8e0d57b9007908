/** The disk store's room for unfinished work, and what becomes of it after a crash. */
import { randomBytes } from 'node:crypto'
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { closeToOthers, FOLDER_MODE } from '../private-folder.ts'
import { isRunning, writeMark } from '../start-lock.ts'
import { isUploadId, type Layout } from './disk-layout.ts'
import { makeDirectories, systemCode } from './disk-write.ts'
import { ObjectStoreError } from './object-store.ts'

const SEALED = 'sealed-'

/**
 * Scratch directories of this process. By its id alone they would look like those of a dead process with the same id.
 */
const ownRooms = new Set<string>()

export interface Scratch {
  /** A path that nothing has yet. */
  fresh(): string
  /** A file that says which process this is: its locks are links to it. */
  readonly mark: string
  /** Where an upload is while it is being completed: out of reach of its part URLs, and found again after a crash. */
  sealed(uploadId: string): string
  /**
   * Puts an upload back whose completion a process that is gone has cut short, so that it can be completed again: true.
   * False if no such process has it. Throws `unavailable` while a process that is there completes it.
   */
  reclaim(uploadId: string): Promise<boolean>
  /** Removes `path` atomically, then frees its bytes. False if it did not exist. */
  discard(path: string): Promise<boolean>
  /**
   * Whether the disk has this process's room: without it this is not, or not at the moment, the store that was opened.
   */
  isThere(): Promise<boolean>
  close(): Promise<void>
}

/**
 * Makes the store's directories, closes those that were open to other users, and opens a scratch directory for this
 * process after removing those of dead ones.
 */
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
  const mark = join(room, 'mark')
  await writeMark(mark)
  const fresh = () => join(room, randomBytes(12).toString('hex'))
  return {
    fresh,
    mark,
    sealed: (uploadId) => join(room, `${SEALED}${uploadId}`),
    reclaim: (uploadId) => reclaim(layout, uploadId, name),
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
    isThere: () =>
      access(room).then(
        () => true,
        () => false,
      ),
    close: async () => {
      await rm(room, { recursive: true, force: true })
      ownRooms.delete(name)
    },
  }
}

async function reclaim(layout: Layout, uploadId: string, own: string): Promise<boolean> {
  if (!isUploadId(uploadId)) return false
  for (const room of await readdir(layout.tmp)) {
    if (room === own) continue
    const sealed = join(layout.tmp, room, `${SEALED}${uploadId}`)
    if (!(await exists(sealed))) continue
    if (!ownRooms.has(room) && !(await isAlive(room))) return moved(sealed, join(layout.uploads, uploadId))
    throw new ObjectStoreError('unavailable', 'Another process is completing the upload.')
  }
  return false
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

function goneIsEmpty(error: unknown): string[] {
  if (systemCode(error) === 'ENOENT') return []
  throw error
}

/** False if another process was first. */
async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}

/**
 * An upload whose completion was cut short goes back to where it can be completed again; all else was never visible.
 */
async function clearDeadRooms(layout: Layout): Promise<void> {
  for (const name of await readdir(layout.tmp)) {
    if (ownRooms.has(name) || (await isAlive(name))) continue
    const room = join(layout.tmp, name)
    // Another process that starts beside this one may have cleared it.
    for (const entry of await readdir(room).catch(goneIsEmpty)) {
      const uploadId = entry.slice(SEALED.length)
      if (entry.startsWith(SEALED) && isUploadId(uploadId))
        await moved(join(room, entry), join(layout.uploads, uploadId))
    }
    await rm(room, { recursive: true, force: true })
  }
}

/**
 * Whether the process of a scratch directory is there: one that was killed and that its parent has not noticed yet is
 * not.
 */
async function isAlive(room: string): Promise<boolean> {
  const pid = Number.parseInt(room, 10)
  return pid !== process.pid && isRunning(pid)
}
