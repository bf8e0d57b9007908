/**
 * Hosted calls as processes on the hub's machine, so many at a time. They can outlive the hub, so each has a note in the data directory, which the next start of the
 * hub reads: running processes keep their places, folders of ended ones are removed, and their jobs learn of it.
 */
import type { Logger } from 'pino'
import type { Config } from '../../platform/config.ts'
import { processMark } from '../../store/start-lock.ts'
import {
  type CallStatus,
  type CallToSpawn,
  type HostedBackend,
  type HostedCall,
  SpawnLater,
  SpawnRefused,
  type TellEnd,
} from '../backend.ts'
import { callEnvironment } from '../call-environment.ts'
import { type CallNote, openCallNotes } from './call-notes.ts'
import { makeHostedFolder, removeHostedFolder } from './hosted-folder.ts'
import { placeId } from './place-id.ts'
import { hasEnded, signalGroup } from './process-group.ts'
import { processFault } from './process-settings.ts'
import { hasPassed, startGated } from './start-process.ts'
import { endProcess } from './stop-process.ts'

/** Polling interval for the exit of processes that are not children of this hub. */
const LOOK_MS = 2_000
/** Between SIGTERM and SIGKILL. */
const KILL_AFTER_MS = 20_000
/** Errors of a machine that has too much to do now. */
const PASSING = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT']

type Settings = Pick<Config, 'dataDir' | 'databaseUrl' | 'hosted' | 'host' | 'port' | 'publicUrl'>

/** A call of this hub itself. */
interface OwnCall extends HostedCall {
  folder: string | null
  isSpawned: boolean
}

/** Opens the backend: processes started by a previous hub keep their places until they end. */
export async function openProcessBackend(config: Settings, log: Logger): Promise<HostedBackend> {
  const notes = openCallNotes(config.dataDir)
  const { maxProcesses, user, command } = config.hosted
  let placed: Promise<string> | undefined
  const own = new Map<string, OwnCall>()
  /** Calls of other hubs on this data directory, mostly of the one before. */
  const adopted = new Set(await notes.list())
  const waiting = new Map<string, () => Promise<void>>()
  /** Calls that `cancel` is ending; each resolves when that is recorded. */
  const canceling = new Map<string, Promise<void>>()
  let tell: TellEnd = () => Promise.reject(new Error('Hosted calls are not attended to yet.'))
  let closed = false
  let looking: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  /** Gives the place to the longest-waiting job. */
  const freed = () => {
    const [next] = waiting
    if (next === undefined || closed || own.size + adopted.size >= maxProcesses) return
    waiting.delete(next[0])
    next[1]().catch((error: unknown) => log.error({ err: error, job: next[0] }, 'a waiting hosted job was not started'))
  }

  const clear = async (callId: string, folder: string | null) => {
    if (folder !== null)
      await removeHostedFolder(folder, user).catch((error: unknown) =>
        log.error({ err: error, folder }, 'the folder of a hosted job was not removed'),
      )
    await notes.remove(callId)
  }

  const leave = async (callId: string) => {
    try {
      await clear(callId, own.get(callId)?.folder ?? null)
    } finally {
      own.delete(callId)
      freed()
    }
  }

  const settled = async (callId: string) => {
    while (canceling.has(callId)) await canceling.get(callId)
  }

  const noteOf = async ({ jobId, folder }: OwnCall, pid: number): Promise<CallNote> => ({
    jobId,
    mark: await processMark(pid),
    folder,
    isStarting: pid === process.pid,
  })

  /** What another hub on this data directory, mostly the one before, has made of a call. */
  const leftBy = async (callId: string): Promise<'nothing' | 'spawned'> => {
    const note = await notes.read(callId)
    if (!note) return 'nothing'
    const isAlive = !(await hasEnded(note.mark))
    if (!note.isStarting && hasPassed(note.folder)) return 'spawned'
    // Its gate closes with its hub.
    if (isAlive) throw new SpawnLater('another hub is starting it')
    await clear(callId, note.folder)
    adopted.delete(callId)
    return 'nothing'
  }

  const look = async () => {
    for (const callId of adopted) {
      if (canceling.has(callId) || own.has(callId)) continue
      const note = await notes.read(callId)
      if (note && !(await hasEnded(note.mark))) continue
      // One that never passed its gate was not started: its call is still pending.
      if (note && !note.isStarting && (note.folder === null || hasPassed(note.folder)))
        await tell({ callId, jobId: note.jobId }, 'its process ended while the hub was down.')
      await clear(callId, note?.folder ?? null)
      adopted.delete(callId)
      freed()
    }
  }
  const lookAgain = () => {
    looking = looking.then(look).catch((error: unknown) => log.error({ err: error }, 'hosted jobs were not polled'))
    return looking
  }

  const watchEnd = async (call: OwnCall, pid: number, ended: Promise<string>) => {
    const how = await ended
    killGroup(pid)
    await settled(call.callId)
    await tell(call, `HOSTED_COMMAND ended with ${how}.`).catch((error: unknown) =>
      log.error({ err: error, job: call.jobId }, 'the end of a hosted job was not recorded'),
    )
    await leave(call.callId)
  }

  const start = async (call: CallToSpawn, mine: OwnCall) => {
    const folder = await makeHostedFolder(user)
    mine.folder = folder
    // Noted before the process starts, so that a hub that crashes here leaves no folder behind.
    await notes.write(call.callId, await noteOf(mine, process.pid))
    const env = {
      // Only PATH of the hub's environment: the rest contains secrets.
      PATH: process.env.PATH ?? '',
      HOME: folder,
      TMPDIR: folder,
      HUB_TOKEN: call.token,
      ...callEnvironment(config, call),
    }
    const gated = await startGated({ command: command ?? '', folder, env, user })
    try {
      await notes.write(call.callId, await noteOf(mine, gated.pid))
    } catch (error) {
      gated.shut()
      throw error
    }
    mine.isSpawned = true
    watchEnd(mine, gated.pid, gated.ended).catch((error: unknown) =>
      log.error({ err: error, job: call.jobId }, 'a hosted job was not cleaned up'),
    )
    await gated.open()
  }

  return {
    name: 'process',
    place() {
      placed ??= placeId(config.dataDir).catch((error: unknown) => {
        placed = undefined
        throw error
      })
      return placed
    },
    async reserve(call) {
      const { callId } = call
      if (own.get(callId)?.isSpawned) return 'spawned'
      const others = adopted.size - (adopted.has(callId) ? 1 : 0)
      if (own.has(callId) || own.size + others >= maxProcesses) return 'full'
      const mine: OwnCall = { ...call, folder: null, isSpawned: false }
      own.set(callId, mine)
      try {
        if ((await leftBy(callId)) === 'nothing') {
          if (await notes.create(callId, await noteOf(mine, process.pid))) return 'reserved'
          throw new SpawnLater('another hub is starting it')
        }
        adopted.add(callId)
      } catch (error) {
        own.delete(callId)
        throw error
      }
      own.delete(callId)
      return 'spawned'
    },
    wait(jobId, begin) {
      if (!waiting.has(jobId)) waiting.set(jobId, begin)
    },
    async spawn(call) {
      const mine = own.get(call.callId)
      const fault = processFault(config)
      if (fault !== null) throw new SpawnRefused(fault)
      if (!mine) throw new Error('Room for a call is reserved first.')
      await start(call, mine).catch((error: NodeJS.ErrnoException) => {
        if (PASSING.includes(error.code ?? '')) throw error
        throw new SpawnRefused(error.message, { cause: error })
      })
    },
    async release(callId) {
      if (own.get(callId)?.isSpawned === false) await leave(callId)
    },
    async end(callId) {
      const note = await notes.read(callId)
      if (note === null || note.isStarting) return
      await signalGroup(note.mark, 'SIGTERM')
      const kill = () =>
        signalGroup(note.mark, 'SIGKILL').catch((error: unknown) =>
          log.error({ err: error, call: callId }, 'a hosted process could not be ended'),
        )
      setTimeout(() => void kill(), KILL_AFTER_MS).unref()
    },
    async cancel(callId, then) {
      await settled(callId)
      const { promise, resolve } = Promise.withResolvers<void>()
      canceling.set(callId, promise)
      try {
        await endProcess(() => notes.read(callId))
        return await then()
      } finally {
        canceling.delete(callId)
        resolve()
      }
    },
    async status(callIds) {
      const statuses = callIds.map(async (callId): Promise<[string, CallStatus]> => {
        const note = await notes.read(callId)
        // The end of a call that is noted is reported by `attend`, with its reason.
        return [callId, { is: note === null && !own.has(callId) ? 'unknown' : 'running' }]
      })
      return new Map(await Promise.all(statuses))
    },
    // A process runs as soon as it is spawned.
    waitsFor: async () => null,
    async attend(told) {
      tell = told
      timer = setInterval(() => {
        if (adopted.size > 0) void lookAgain()
      }, LOOK_MS)
      timer.unref()
      await lookAgain()
    },
    async close() {
      closed = true
      waiting.clear()
      clearInterval(timer)
      await looking
    },
  }
}

/** Ends what is left of the process group: it has no folder, place or key any more. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Usual case: no process is left.
  }
}
