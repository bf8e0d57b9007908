/** Which folders are on a disk of this machine, and read on the spot: a server far away may never answer. */
import { stat, statfs } from 'node:fs/promises'

/** Whether reading a file of the folder waits for this machine alone. */
export type NearFolders = (folder: string) => Promise<boolean>

/**
 * Types of Linux, from `linux/magic.h`: ext, XFS, Btrfs, ZFS, F2FS, bcachefs, tmpfs, ramfs and overlayfs. All others
 * count as far, so FUSE, and every type of another system: their numbers differ from version to version there.
 */
const nearTypes: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x01021994, 0x858458f6, 0x794c7630,
])

const typeOf = async (folder: string) => (await statfs(folder)).type

/** Asks each file system once. A folder that does not answer is far; a single file mounted into one is taken as it. */
export function nearFolders(type: (folder: string) => Promise<number> = typeOf): NearFolders {
  const known = new Map<bigint, Promise<boolean>>()
  const isNear = async (folder: string) => nearTypes.has((await type(folder)) >>> 0)
  return async (folder) => {
    const stats = await stat(folder, { bigint: true }).catch(() => null)
    if (stats === null) return false
    const found = known.get(stats.dev) ?? isNear(folder).catch(() => false)
    known.set(stats.dev, found)
    return found
  }
}
