/** The data directory's records of a hub's local hosted calls: a file for each call, which outlives the hub. */
import { randomUUID } from 'node:crypto'
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { UnixIds } from '../../platform/unix-user.ts'

/** What a call runs as. */
export interface CallUser extends UnixIds {
  /** Whether no other call has it before this one is cleared away. */
  readonly isOwn: boolean
}

export interface CallNote {
  readonly jobId: string
  /** `processMark` of the process; of the hub while the process is being started. */
  readonly mark: string
  /** The outer one. */
  readonly folder: string | null
  /** Null: the hub's own user. */
  readonly user: CallUser | null
  readonly isStarting: boolean
}

export interface CallNotes {
  /** False if there is a note of the call already. */
  create(callId: string, note: CallNote): Promise<boolean>
  write(callId: string, note: CallNote): Promise<void>
  /** Null if there is none. */
  read(callId: string): Promise<CallNote | null>
  /** The calls that have a note. */
  list(): Promise<string[]>
  remove(callId: string): Promise<void>
}

const DRAFT = '.draft'

/** The notes under `dataDir`. */
export function openCallNotes(dataDir: string): CallNotes {
  const dir = join(dataDir, 'hosted')
  const draft = async (callId: string, note: CallNote) => {
    const path = join(dir, `${callId}.${randomUUID()}${DRAFT}`)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    await writeFile(path, JSON.stringify(note), { mode: 0o600 })
    return path
  }
  return {
    async create(callId, note) {
      const path = await draft(callId, note)
      try {
        // A link never replaces what is there: of two hubs on this folder one makes it.
        await link(path, join(dir, callId))
        return true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
        throw error
      } finally {
        await rm(path, { force: true })
      }
    },
    async write(callId, note) {
      // A reader finds the note of before meanwhile, never half of one.
      await rename(await draft(callId, note), join(dir, callId))
    },
    async read(callId) {
      try {
        const note = JSON.parse(await readFile(join(dir, callId), 'utf8')) as CallNote
        return { ...note, user: note.user ?? null, isStarting: note.isStarting ?? false }
      } catch {
        return null
      }
    },
    list: async () => (await readdir(dir).catch(() => [])).filter((name) => !name.endsWith(DRAFT)),
    async remove(callId) {
      // A hub that was killed may have left a draft.
      const drafts = (await readdir(dir).catch(() => [])).filter((name) => name.startsWith(`${callId}.`))
      for (const name of [...drafts, callId]) await rm(join(dir, name), { force: true })
    },
  }
}
