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
import { notEnded } from '../stop-call.ts'
import { type CallNote, openCallNotes } from './call-notes.ts'
import { type CallRoom, openRoom } from './call-room.ts'
import { callClearing } from './clear-call.ts'
import { workFolder } from './hosted-folder.ts'
import { orphanWatch } from './orphan-watch.ts'
import { placeId } from './place-id.ts'
import { hasEnded, killGroup, signalGroup } from './process-group.ts'
import { databaseUid, isolationOf, processFault } from './process-settings.ts'
import { type GatedProcess, hasPassed, startGated } from './start-process.ts'
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
  isSpawned: boolean
}

/** Opens the backend: processes started by a previous hub keep their places until they end. */
export async function openProcessBackend(config: Settings, log: Logger): Promise<HostedBackend> {
  const notes = openCallNotes(config.dataDir)
  const clearing = callClearing(config.dataDir, notes)
  const { maxProcesses, command } = config.hosted
  const isolation = isolationOf(config)
  let placed: Promise<string> | undefined
  const own = new Map<string, OwnCall>()
  /** Calls of other hubs on this data directory, mostly of the one before. */
  const adopted = new Set(await notes.list())
  const isOrphan = orphanWatch()
  /** Calls of which something stays; their ends are recorded. */
  const stuck = new Set<string>()
  const waiting = new Map<string, () => Promise<void>>()
  /** Calls that `cancel` is ending; each resolves when that is recorded. */
  const canceling = new Map<string, Promise<void>>()
  let tell: TellEnd = () => Promise.reject(new Error('Hosted calls are not attended to yet.'))
  /** Ends of calls that are being recorded and cleared. */
  const ending = new Set<Promise<void>>()
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

  /** False if something of the call stays. Its place is taken until that is gone. */
  const cleared = async (callId: string, mark: string | null) => {
    try {
      await clearing.clear(callId, mark)
      stuck.delete(callId)
      return true
    } catch (error) {
      if (!stuck.has(callId)) log.error({ err: error, call: callId }, 'a hosted call left something that stays')
      stuck.add(callId)
      adopted.add(callId)
      return false
    }
  }

  const leave = async (callId: string) => {
    try {
      await cleared(callId, (await notes.read(callId))?.mark ?? null)
    } finally {
      own.delete(callId)
      freed()
    }
  }

  const settled = async (callId: string) => {
    while (canceling.has(callId)) await canceling.get(callId)
  }

  /** Of a call that is being started: the mark is the hub's own. */
  const startingNote = async ({ jobId }: HostedCall, room: Partial<CallRoom> = {}): Promise<CallNote> => ({
    ...{ jobId, mark: await processMark(process.pid), folder: null, user: null, isStarting: true },
    ...room,
  })

  /** What another hub on this data directory, mostly the one before, has made of a call. */
  const leftBy = async (callId: string): Promise<'nothing' | 'spawned'> => {
    const note = await notes.read(callId)
    if (!note) return 'nothing'
    const isAlive = !(await hasEnded(note.mark))
    if (!note.isStarting && hasPassed(note.folder)) return 'spawned'
    // Its gate closes with its hub.
    if (isAlive) throw new SpawnLater('another hub is starting it')
    if (!(await cleared(callId, note.mark))) throw new SpawnLater('what a former hub left of it is not gone yet')
    adopted.delete(callId)
    return 'nothing'
  }

  /** What of it stays is seen again when it is cleared away. */
  const endAll = (callId: string, mark: string) => clearing.endAll(callId, mark).catch(() => undefined)

  const look = async () => {
    for (const callId of adopted) {
      if (canceling.has(callId) || own.has(callId)) continue
      const note = await notes.read(callId)
      if (note && !(await hasEnded(note.mark))) continue
      // One that never passed its gate was not started: its call is still pending.
      if (note && !stuck.has(callId) && !note.isStarting && (note.folder === null || hasPassed(note.folder))) {
        await endAll(callId, note.mark)
        await tell({ callId, jobId: note.jobId }, 'its process ended while the hub was down.')
      }
      if (!(await cleared(callId, note?.mark ?? null))) continue
      adopted.delete(callId)
      freed()
    }
  }
  const lookAgain = () => {
    looking = looking.then(look).catch((error: unknown) => log.error({ err: error }, 'hosted jobs were not polled'))
    return looking
  }

  const watchEnd = async (call: OwnCall, mark: string, { pid, ended }: GatedProcess) => {
    const how = await ended
    // The next hub records and clears it: this one has no database any more.
    if (closed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    ending.add(promise)
    try {
      killGroup(pid)
      await finish(call, mark, how)
    } finally {
      ending.delete(promise)
      resolve()
    }
  }

  const finish = async (call: OwnCall, mark: string, how: string) => {
    await endAll(call.callId, mark)
    await settled(call.callId)
    await tell(call, `HOSTED_COMMAND ended with ${how}.`).catch((error: unknown) =>
      log.error({ err: error, job: call.jobId }, 'the end of a hosted job was not recorded'),
    )
    await leave(call.callId)
  }

  const start = async (call: CallToSpawn, mine: OwnCall) => {
    const { callId } = call
    // Noted before each step, so that a hub that crashes here leaves no folder behind, and no process whose user the next hub does not know.
    const note = async (room: CallRoom) => notes.write(callId, await startingNote(mine, room))
    const room = await openRoom({ callId, isolation, notes, databaseUid: databaseUid(config), note })
    const work = workFolder(room.folder)
    const env = {
      // Only PATH of the hub's environment: the rest contains secrets.
      PATH: process.env.PATH ?? '',
      HOME: work,
      TMPDIR: work,
      HUB_TOKEN: call.token,
      ...callEnvironment(config, call),
    }
    const gated = await startGated({
      ...{ command: command ?? '', work, env, user: room.user },
      isBound: isolation.is === 'own-uid',
    })
    const mark = await processMark(gated.pid)
    try {
      await notes.write(callId, { jobId: mine.jobId, mark, ...room, isStarting: false })
    } catch (error) {
      gated.shut()
      throw error
    }
    mine.isSpawned = true
    watchEnd(mine, mark, gated).catch((error: unknown) =>
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
      const mine: OwnCall = { ...call, isSpawned: false }
      own.set(callId, mine)
      try {
        if ((await leftBy(callId)) === 'nothing') {
          if (await notes.create(callId, await startingNote(mine))) return 'reserved'
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
        if (error instanceof SpawnLater || PASSING.includes(error.code ?? '')) throw error
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
        const note = await notes.read(callId)
        if (note !== null)
          await clearing.endAll(callId, note.mark).catch((error: Error) => {
            throw notEnded(error.message)
          })
        return await then()
      } finally {
        canceling.delete(callId)
        resolve()
      }
    },
    async status(callIds) {
      const statuses = callIds.map(async (callId): Promise<[string, CallStatus]> => {
        const note = await notes.read(callId)
        const isAnothers = note !== null && !own.has(callId) && !adopted.has(callId)
        if (isOrphan(callId, isAnothers && (await hasEnded(note.mark)))) adopted.add(callId)
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
      await Promise.all([looking, ...ending])
    },
  }
}
