/**
 * Gives a call its user and its folder, noted step by step, so that a hub that dies at any moment leaves nothing that
 * the next one cannot tell the owner of.
 */
import { rmdir } from 'node:fs/promises'
import type { IdRange } from '../../platform/unix-user.ts'
import { SpawnLater } from '../backend.ts'
import type { CallNotes, CallUser } from './call-notes.ts'
import { giveHostedFolder, hasOtherFolder, makeHostedFolder, newFolderPath } from './hosted-folder.ts'
import { isSomebodys } from './own-uids.ts'
import type { Isolation } from './process-settings.ts'
import { processesByUid } from './user-processes.ts'

/** What a call runs as, and its outer folder. */
export interface CallRoom {
  readonly user: CallUser | null
  readonly folder: string
}

interface RoomOptions {
  readonly callId: string
  readonly isolation: Isolation
  readonly notes: CallNotes
  /** The user of the embedded database, null without one: it may have no name. */
  readonly databaseUid: number | null
  /** Records what the call has from now on. */
  note(room: CallRoom): Promise<void>
}

/**
 * A folder in which only its user (null: the hub's own) can work, still empty. Throws `SpawnLater` where every uid is
 * taken.
 */
export async function openRoom(options: RoomOptions): Promise<CallRoom> {
  const { isolation, note } = options
  if (isolation.is === 'own-uid') return ownRoom(options, isolation.uids)
  const shared = isolation.is === 'hub-user' ? null : isolation.user
  const user = shared && { uid: shared.uid, gid: shared.gid, isOwn: false }
  const room = { user, folder: newFolderPath(null) }
  await note(room)
  await makeHostedFolder(room.folder)
  await giveHostedFolder(room.folder, user)
  return room
}

/**
 * A uid is taken by its note on this data directory, and by the name of its folder on this machine: of two hubs that
 * take one at the same time each makes its own first and looks for the other's then, so at least one of them sees that
 * it is not alone.
 */
async function ownRoom({ callId, notes, databaseUid, note }: RoomOptions, uids: IdRange): Promise<CallRoom> {
  const running = await processesByUid()
  for (const uid of fromAnywhere(uids)) {
    if (uid === databaseUid || running.has(uid) || (await isNoted(notes, uid, callId)) || (await isSomebodys(uid)))
      continue
    const folder = newFolderPath(uid)
    await note({ user: null, folder })
    await makeHostedFolder(folder)
    const user = { uid, gid: uid, isOwn: true }
    if (!(await hasOtherFolder(uid, folder))) {
      await note({ user, folder })
      if (!(await isNoted(notes, uid, callId))) {
        await giveHostedFolder(folder, user)
        return { user, folder }
      }
    }
    await rmdir(folder)
  }
  throw new SpawnLater('no uid of HOSTED_UIDS is free')
}

/** Whether another call on this data directory has the uid. */
async function isNoted(notes: CallNotes, uid: number, callId: string): Promise<boolean> {
  for (const other of await notes.list()) {
    if (other === callId) continue
    const note = await notes.read(other)
    if (note?.user?.isOwn && note.user.uid === uid) return true
  }
  return false
}

/** From a random one on, so that a uid rests as long as there are others. */
function* fromAnywhere({ first, last }: IdRange): Iterable<number> {
  const count = last - first + 1
  const start = Math.floor(Math.random() * count)
  for (let at = 0; at < count; at += 1) yield first + ((start + at) % count)
}
