/**
 * The folders of one hosted process, removed with it. It works in the inner one, which is its own. The outer one is the
 * hub's, so that the process cannot remove it: its name says which uid is taken.
 */
import { randomBytes } from 'node:crypto'
import { chmod, chown, lstat, mkdir, readdir, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UnixIds } from '../../platform/unix-user.ts'
import { systemCode } from '../../store/objects/disk-write.ts'
import { FOLDER_MODE } from '../../store/private-folder.ts'
import type { CallUser } from './call-notes.ts'
import { runAs } from './user-processes.ts'

/** Of a folder whose call has a uid of its own, hubs of other data directories see by the name that it is taken. */
const prefixOf = (uid: number | null) => (uid === null ? 'hub-hosted-' : `hub-hosted-${uid}-`)

/** A path that nothing has yet, in the system's temporary directory. `uid`: that the call has for itself. */
export function newFolderPath(uid: number | null): string {
  return join(tmpdir(), `${prefixOf(uid)}${randomBytes(6).toString('hex')}`)
}

/** Where the process works. */
export const workFolder = (folder: string): string => join(folder, 'work')

/** Makes the outer folder, which no one else can enter yet. */
export async function makeHostedFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: FOLDER_MODE })
}

/** Makes the inner one, for the user alone (null: the hub's own). From then on something may run as that user. */
export async function giveHostedFolder(folder: string, user: UnixIds | null): Promise<void> {
  const work = workFolder(folder)
  await mkdir(work, { mode: FOLDER_MODE })
  if (user === null) return
  // To be passed by the group, which the user has for itself too.
  await chown(folder, process.getuid?.() ?? 0, user.gid)
  await chmod(folder, 0o710)
  await chown(work, user.uid, user.gid)
}

/** Whether the folder was given to the user. */
export async function isGivenTo(user: UnixIds, folder: string | null): Promise<boolean> {
  return folder !== null && (await ownerOf(workFolder(folder))) === user.uid
}

/**
 * Whether a hub of this machine has a folder with the uid, other than `own`. What others put under such a name does not
 * count.
 */
export async function hasOtherFolder(uid: number, own: string): Promise<boolean> {
  const prefix = join(tmpdir(), prefixOf(uid))
  for (const path of await entriesOf(tmpdir()))
    if (path !== own && path.startsWith(prefix) && (await ownerOf(path)) === process.getuid?.()) return true
  return false
}

/** Where every user may leave things, besides the temporary directory. */
const SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run/lock']

/**
 * A job may have taken the rights on its own folders from itself. What cannot be removed is seen by what stays, not by
 * what it is told.
 */
const REMOVE = '{ chmod -R u+rwX -- "$@"; rm -rf -- "$@"; } 2>/dev/null'
/** So many paths fit into a command line, however long they are. */
const AT_ONCE = 100

/**
 * Removes the folders, and with a uid of the call's own what it left in shared ones; the outer folder last, for it
 * keeps the uid. What is the user's is removed as that user: a process could place a symlink to mislead a removal by
 * root. Throws if something of the folders stays.
 */
export async function removeHostedFolder(folder: string, user: CallUser | null): Promise<void> {
  if ((await ownerOf(folder)) === null) return
  const left = user?.isOwn ? await leftBy(user) : []
  const work = workFolder(folder)
  // The inner folder itself is in one that its user cannot change.
  const fault = await removeAs(user ?? ownIds(), [work, ...left])
  for (const path of [work, folder])
    await rmdir(path).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw fault ?? error
    })
}

/** Resolves with the last fault, or null. */
async function removeAs(user: UnixIds, paths: readonly string[]): Promise<unknown> {
  let fault: unknown = null
  for (let at = 0; at < paths.length; at += AT_ONCE)
    await runAs(user, REMOVE, paths.slice(at, at + AT_ONCE)).catch((error: unknown) => {
      fault = error
    })
  return fault
}

/** Such as the shared memory of a trainer: a later call with the same uid could read it. */
async function leftBy({ uid }: UnixIds): Promise<string[]> {
  const left: string[] = []
  for (const shared of new Set([tmpdir(), ...SHARED]))
    for (const path of await entriesOf(shared)) if ((await ownerOf(path)) === uid) left.push(path)
  return left
}

const ownIds = (): UnixIds => ({ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 })

const entriesOf = async (directory: string): Promise<string[]> =>
  (await readdir(directory).catch(() => [])).map((name) => join(directory, name))

const ownerOf = async (path: string): Promise<number | null> => (await lstat(path).catch(() => null))?.uid ?? null
