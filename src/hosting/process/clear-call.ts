/**
 * What a call left behind: processes that went their own way, its folder, its note. Hubs on one data directory take
 * turns at it.
 */
import { join } from 'node:path'
import { isOfThisBoot, withFileLock } from '../../store/start-lock.ts'
import type { CallNote, CallNotes } from './call-notes.ts'
import { isGivenTo, removeHostedFolder } from './hosted-folder.ts'
import { removeSystemV } from './system-v.ts'
import { endAllOf, processesByUid } from './user-processes.ts'

export interface CallClearing {
  /**
   * Ends what runs with the call's own uid. Another hub may have cleared the call since it had this mark: nothing is
   * done then.
   */
  endAll(callId: string, mark: string): Promise<void>
  /**
   * Ends all that is left, removes the folder and, last, the note, which gives back the uid. Throws where something
   * stays; then its note does too.
   */
  clear(callId: string, mark: string | null): Promise<void>
}

/** For the calls under a data directory. */
export function callClearing(dataDir: string, notes: CallNotes): CallClearing {
  const held = (callId: string, mark: string | null, work: (note: CallNote | null) => Promise<void>) => {
    const path = join(dataDir, 'hosted-locks', callId)
    const busy = (holder: string) => `Another process (${holder}) is still clearing away ${callId}: ${path}`
    return withFileLock(path, busy, async () => {
      const note = await notes.read(callId)
      if ((note?.mark ?? null) === mark) await work(note)
    })
  }
  return {
    endAll: (callId, mark) =>
      held(callId, mark, async (note) => {
        if (note !== null) await endOwn(note)
      }),
    clear: (callId, mark) =>
      held(callId, mark, async (note) => {
        if (note !== null) await endOwn(note)
        if (note?.user?.isOwn && (await hasRun(note))) await removeSystemV(note.user)
        if (note?.folder) await removeHostedFolder(note.folder, (await hasRun(note)) ? note.user : null)
        await notes.remove(callId)
      }),
  }
}

/**
 * Whether anything may have run as the user of the call. A hub that died before it gave the folder away may have been
 * about to leave the uid to another call.
 */
async function hasRun({ user, folder, isStarting }: CallNote): Promise<boolean> {
  return user !== null && (!isStarting || (await isGivenTo(user, folder)))
}

/** Ends what runs with a uid that only this call has. */
async function endOwn(note: CallNote): Promise<void> {
  const { user, mark } = note
  if (!user?.isOwn || !(await hasRun(note))) return
  if (isOfThisBoot(mark)) return endAllOf(user)
  // Since the machine was started again another hub may have given the uid to a call of its own.
  if ((await processesByUid()).has(user.uid)) throw new Error(`uid ${user.uid} is in use by another call`)
}
