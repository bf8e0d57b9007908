/** Places of the disk store's objects: how finished bytes come into one, also where others are, and leave a pack. */
import { access, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { withMarkedLock } from '../start-lock.ts'
import type { Layout, ObjectDocument } from './disk-layout.ts'
import { dropMembers } from './disk-pack.ts'
import type { Scratch } from './disk-scratch.ts'
import { makeDirectories, syncDirectory, systemCode } from './disk-write.ts'
import type { ObjectHead } from './object-store.ts'

export interface DiskPlaces {
  /** Gives a directory or file the place of its object, also that of an existing one; durable on return. */
  fill(path: string, document: ObjectDocument): Promise<ObjectHead>
  /** Empties places of a pack; a pack that is not there has none. */
  drop(pack: string, indexes: readonly number[]): Promise<void>
}

/** A directory may lose the race against the pruning of an empty one, or against another replacement, this often. */
const PUBLISH_ATTEMPTS = 20

/** The places of a layout. */
export function diskPlaces(layout: Layout, scratch: Scratch): DiskPlaces {
  // Between its two renames a replacement relies on the former bytes staying where it put them.
  const replacing = turnsAt(layout.replacing, scratch.mark, busy)
  const replace = (directory: string, key: string) =>
    replacing(async () => {
      const { current, former } = layout.object(key)
      await scratch.discard(former)
      await rename(current, former)
      await rename(directory, current)
      await scratch.discard(former)
    })

  /** In turns, as `dropMembers` wants it. */
  const dropping = turnsAt(layout.dropping, scratch.mark, busyDropping)
  const drop = async (pack: string, indexes: readonly number[]) => {
    // Most keys that end in a number are of no pack.
    if (await isThere(pack)) await dropping(() => dropMembers(pack, indexes, scratch.fresh))
  }

  const fill = async (path: string, { key, sizeBytes, etag }: ObjectDocument) => {
    const { current } = layout.object(key)
    for (let attempt = 1; ; attempt += 1) {
      try {
        await renameInto(path, current)
        break
      } catch (error) {
        if (attempt === PUBLISH_ATTEMPTS || !isInTheWay(error)) throw error
      }
      if (await succeeds(replace(path, key))) break
    }
    await syncDirectory(dirname(current))
    // An object of the same key in a pack is found first.
    const packed = layout.member(key)
    if (packed) await drop(packed.pack, [packed.index])
    return { sizeBytes, etag }
  }
  return { fill, drop }
}

/** One at a time, of all processes on the disk: each piece of work has the lock file of `path`. */
function turnsAt(path: string, mark: string, busy: (holder: string) => string) {
  let last: Promise<void> = Promise.resolve()
  return (work: () => Promise<void>): Promise<void> => {
    const turn = last.then(() => withMarkedLock({ path, mark, busy }, work))
    last = turn.catch(() => undefined)
    return turn
  }
}

/** Gives a file its name. The folder is nearly always there: it is made after a failure, and may be pruned again. */
export async function renameInto(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rename(from, to)
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || attempt === PUBLISH_ATTEMPTS) throw error
    }
    await makeDirectories(dirname(to))
  }
}

/** Why a rename may fail that is tried again: a folder is not there yet, or other bytes are in the place. */
const isInTheWay = (error: unknown) =>
  ['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EISDIR', 'ENOTDIR'].includes(systemCode(error) ?? '')

const busy = (holder: string) => `Another process (${holder}) is still replacing an object.`
const busyDropping = (holder: string) => `Another process (${holder}) is still deleting objects of a pack.`

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

/** False when another replacement or a deletion came in between, which is tried again; other failures are thrown. */
async function succeeds(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (isInTheWay(error)) return false
    throw error
  }
}
