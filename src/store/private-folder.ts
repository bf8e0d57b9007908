/** Folders and files of the hub that no other user of the machine may look into. */
import { constants, lstat, mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

export const FOLDER_MODE = 0o700
export const FILE_MODE = 0o600

/** What a user other than the owner has of a mode. */
const OTHERS = 0o077

/** Makes a folder, and those above it, closed to other users. One that is there is left as it is. */
export async function makePrivateFolder(path: string): Promise<void> {
  const make = () =>
    mkdir(path, { mode: FOLDER_MODE }).catch(async (error: unknown) => {
      if (codeOf(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error
    })
  // Node's own recursive one never ends where a folder that exists takes no new ones with ENOENT, as `/proc` does.
  await make().catch(async (error: unknown) => {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    await makePrivateFolder(dirname(path))
    await make()
  })
}

/**
 * Closes a folder or file to other users, if it is there. One that another user owns, or a link that another user made,
 * stays as it is.
 */
export async function closeToOthers(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found === null || process.platform === 'win32') return
  const isLink = found.isSymbolicLink()
  // An operator may have put the objects on another disk by a link; one that someone else made leads anywhere.
  if (isLink && found.uid !== 0 && found.uid !== process.getuid?.()) return
  // What is opened is what is closed, whatever has the name by then. A socket or pipe is not waited for.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (isLink ? 0 : constants.O_NOFOLLOW)
  const handle = await open(path, flags).catch(() => null)
  if (handle === null) return
  try {
    const at = await handle.stat()
    if ((at.mode & OTHERS) !== 0) await handle.chmod(at.isDirectory() ? FOLDER_MODE : FILE_MODE)
  } catch (error) {
    if (codeOf(error) !== 'EPERM' && codeOf(error) !== 'EROFS') throw error
  } finally {
    await handle.close()
  }
}

/** Whether other users have any right on it by its mode. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found !== null && process.platform !== 'win32' && (found.mode & OTHERS) !== 0
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)
