/** The data directory's records of a hub's local hosted calls: a file for each call, which outlives the hub. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface CallNote {
  readonly jobId: string
  /** `processMark` of the process; of the hub while the process is being started. */
  readonly mark: string
  readonly folder: string | null
  readonly isStarting: boolean
}

export interface CallNotes {
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
  return {
    async write(callId, note) {
      const path = join(dir, callId)
      await mkdir(dir, { recursive: true, mode: 0o700 })
      await writeFile(path + DRAFT, JSON.stringify(note), { mode: 0o600 })
      // Whoever reads meanwhile finds the note of before, never half of one.
      await rename(path + DRAFT, path)
    },
    async read(callId) {
      try {
        const note = JSON.parse(await readFile(join(dir, callId), 'utf8')) as CallNote
        return { ...note, isStarting: note.isStarting ?? false }
      } catch {
        return null
      }
    },
    list: async () => (await readdir(dir).catch(() => [])).filter((name) => !name.endsWith(DRAFT)),
    remove: (callId) => rm(join(dir, callId), { force: true }),
  }
}
