/**
 * Limits the hosted processes of this hub. They can outlive it, so each has a note in the data directory, which the next start of the hub reads:
 * running processes keep their places, folders of ended ones are removed, and their jobs learn of it.
 */
import type { Logger } from 'pino'
import type { Config } from '../platform/config.ts'
import { processMark } from '../store/start-lock.ts'
import { openCallNotes } from './call-notes.ts'
import { removeHostedFolder } from './hosted-folder.ts'
import type { CallsOfBefore, HostedCall, HostedPlace, HostedPlaces } from './places.ts'
import { hasEnded } from './process-group.ts'
import { endProcess } from './stop-call.ts'

/** Polling interval for the exit of processes that are not children of this hub. */
const LOOK_MS = 2_000

type Settings = Pick<Config, 'dataDir' | 'hosted'>

/** Opens the places: processes started by a previous hub keep theirs until they end. */
export async function openHostedPlaces(config: Settings, log: Logger): Promise<HostedPlaces> {
  const notes = openCallNotes(config.dataDir)
  const { maxProcesses, user } = config.hosted
  const waiting = new Map<string, () => Promise<void>>()
  /** Calls that `stop` is ending; each resolves when that is recorded. */
  const stopping = new Map<string, Promise<void>>()
  let closed = false

  /** Gives the place to the longest-waiting job. */
  const free = () => {
    taken -= 1
    const [next] = waiting
    if (next === undefined || closed) return
    waiting.delete(next[0])
    next[1]().catch((error: unknown) => log.error({ err: error, job: next[0] }, 'a waiting hosted job was not started'))
  }

  const forget = async (callId: string, folder: string | null) => {
    if (folder !== null)
      await removeHostedFolder(folder, user).catch((error: unknown) =>
        log.error({ err: error, folder }, 'the folder of a hosted job was not removed'),
      )
    await notes.remove(callId)
  }

  const settled = async (callId: string) => {
    while (stopping.has(callId)) await stopping.get(callId)
  }

  const place = (): HostedPlace => {
    let noted: { call: HostedCall; folder: string | null } | null = null
    const write = async (pid: number, isStarting: boolean) => {
      if (!noted) throw new Error('A place is begun first.')
      const { call, folder } = noted
      await notes.write(call.callId, { jobId: call.jobId, mark: await processMark(pid), folder, isStarting })
    }
    return {
      begin(call) {
        noted = { call, folder: null }
        return write(process.pid, true)
      },
      prepare(folder) {
        if (noted) noted.folder = folder
        return write(process.pid, true)
      },
      start: (pid) => write(pid, false),
      async settled() {
        if (noted) await settled(noted.call.callId)
      },
      async leave() {
        try {
          if (noted) await forget(noted.call.callId, noted.folder)
        } finally {
          free()
        }
      },
    }
  }

  /** Calls of a previous hub. */
  const adopted = new Set(await notes.list())
  let taken = adopted.size
  const look = async (tell: CallsOfBefore) => {
    for (const callId of adopted) {
      if (stopping.has(callId)) continue
      const note = await notes.read(callId)
      if (note && !note.isStarting && !(await hasEnded(note.mark))) continue
      if (note) await (note.isStarting ? tell.unstarted : tell.ended)({ callId, jobId: note.jobId })
      adopted.delete(callId)
      await forget(callId, note?.folder ?? null)
      free()
    }
    if (adopted.size === 0) clearInterval(timer)
  }
  let looking: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  return {
    take() {
      if (taken >= maxProcesses) return null
      taken += 1
      return place()
    },
    async calls() {
      const callIds = await notes.list()
      const read = await Promise.all(callIds.map((callId) => notes.read(callId)))
      return read.flatMap((note, at) =>
        note === null || note.isStarting ? [] : [{ jobId: note.jobId, mark: note.mark, callId: callIds[at] ?? '' }],
      )
    },
    wait: (jobId, start) => {
      if (!waiting.has(jobId)) waiting.set(jobId, start)
    },
    async stop(callId, then) {
      await settled(callId)
      const { promise, resolve } = Promise.withResolvers<void>()
      stopping.set(callId, promise)
      try {
        await endProcess(() => notes.read(callId))
        return await then()
      } finally {
        stopping.delete(callId)
        resolve()
      }
    },
    async adopt(tell) {
      const again = () => {
        looking = looking
          .then(() => look(tell))
          .catch((error: unknown) => log.error({ err: error }, 'hosted jobs were not polled'))
        return looking
      }
      if (adopted.size === 0) return
      timer = setInterval(again, LOOK_MS)
      timer.unref()
      await again()
    },
    async close() {
      closed = true
      waiting.clear()
      clearInterval(timer)
      await looking
    },
  }
}
