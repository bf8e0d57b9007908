/**
 * Limits the hosted processes of this hub. They can outlive it, so each has a note in the data directory, which the next start of the hub reads:
 * running processes keep their places, and folders of ended ones are removed.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../platform/config.ts'
import { processMark } from '../store/start-lock.ts'
import { removeHostedFolder } from './hosted-folder.ts'
import type { HostedPlace, HostedPlaces } from './places.ts'

/** Polling interval for the exit of processes that are not children of this hub. */
const LOOK_MS = 2_000

interface Note {
  /** `processMark` of the process. */
  readonly mark: string
  readonly folder: string
  /** The job of the call. */
  readonly jobId: string
}

type Settings = Pick<Config, 'dataDir' | 'hosted'>

/** Opens the places: processes started by a previous hub keep theirs until they end. */
export async function openHostedPlaces(config: Settings, log: Logger): Promise<HostedPlaces> {
  const notes = join(config.dataDir, 'hosted')
  const { maxProcesses, user } = config.hosted
  const waiting = new Map<string, () => Promise<void>>()
  let taken = 0
  let closed = false

  /** Gives the place to the longest-waiting job. */
  const free = () => {
    taken -= 1
    const [next] = waiting
    if (next === undefined || closed) return
    waiting.delete(next[0])
    next[1]().catch((error: unknown) => log.error({ err: error, job: next[0] }, 'a waiting hosted job was not started'))
  }

  const forget = async (callId: string, folder: string) => {
    await removeHostedFolder(folder, user).catch((error: unknown) =>
      log.error({ err: error, folder }, 'the folder of a hosted job was not removed'),
    )
    await rm(join(notes, callId), { force: true })
  }

  const place = (): HostedPlace => {
    let folderOf: { callId: string; folder: string } | null = null
    return {
      async note({ id, callId }, pid, folder) {
        folderOf = { callId, folder }
        await mkdir(notes, { recursive: true, mode: 0o700 })
        const note: Note = { mark: await processMark(pid), folder, jobId: id }
        await writeFile(join(notes, callId), JSON.stringify(note), { mode: 0o600 })
      },
      async leave() {
        try {
          if (folderOf) await forget(folderOf.callId, folderOf.folder)
        } finally {
          free()
        }
      },
    }
  }

  /** Processes of a previous hub, by call. */
  const adopted = new Map<string, Note>()
  const look = async () => {
    for (const [callId, note] of adopted) {
      if ((await processMark(Number.parseInt(note.mark, 10))) === note.mark) continue
      adopted.delete(callId)
      await forget(callId, note.folder)
      free()
    }
  }
  for (const callId of await readdir(notes).catch(() => [])) {
    const note = await readNote(join(notes, callId))
    if (note === null) continue
    adopted.set(callId, note)
    taken += 1
  }
  await look()
  let looking: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking.then(look).catch((error: unknown) => log.error({ err: error }, 'hosted jobs were not polled'))
  }, LOOK_MS)
  timer.unref()
  if (adopted.size === 0) clearInterval(timer)

  return {
    take() {
      if (taken >= maxProcesses) return null
      taken += 1
      return place()
    },
    async calls() {
      const callIds = await readdir(notes).catch(() => [])
      const read = await Promise.all(callIds.map((callId) => readNote(join(notes, callId))))
      return read.flatMap((note, at) => (note === null ? [] : [{ ...note, callId: callIds[at] ?? '' }]))
    },
    wait: (jobId, start) => {
      if (!waiting.has(jobId)) waiting.set(jobId, start)
    },
    async close() {
      closed = true
      waiting.clear()
      clearInterval(timer)
      await looking
    },
  }
}

async function readNote(path: string): Promise<Note | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Note
  } catch {
    return null
  }
}
