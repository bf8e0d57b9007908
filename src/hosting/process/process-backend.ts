/**
 * Hosted calls as processes on the hub's machine, so many at a time. They can outlive the hub, so each has a note in
 * the data directory, which the next start of the hub reads: running processes keep their places, folders of ended ones
 * are removed, and their jobs learn of it.
 */
import type { Logger } from 'pino'
import type { Config } from '../../platform/config.ts'
import { processMark } from '../../store/start-lock.ts'
import {
  type CallStatus,
  type CallToSpawn,
  type HostedBackend,
  type HostedCall,
  type Room,
  SpawnLater,
  SpawnRefused,
} from '../backend.ts'
import { callEnvironment } from '../call-environment.ts'
import { type CallEnds, callEnds } from './call-ends.ts'
import { type CallNote, type CallNotes, openCallNotes } from './call-notes.ts'
import { type CallPlaces, callPlaces, type OwnCall } from './call-places.ts'
import { type CallRoom, openRoom } from './call-room.ts'
import { callClearing } from './clear-call.ts'
import { workFolder } from './hosted-folder.ts'
import { orphanWatch } from './orphan-watch.ts'
import { placeId } from './place-id.ts'
import { hasEnded, signalGroup } from './process-group.ts'
import { databaseUid, type Isolation, isolationOf, processFault } from './process-settings.ts'
import { hasPassed, startGated } from './start-process.ts'

/** Between SIGTERM and SIGKILL. */
const KILL_AFTER_MS = 20_000
/** Errors of a machine that has too much to do now. */
const PASSING = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT']

type Settings = Pick<Config, 'dataDir' | 'databaseUrl' | 'hosted' | 'host' | 'port' | 'publicUrl'>

/** What the parts of the backend share. */
interface Parts {
  readonly config: Settings
  readonly log: Logger
  readonly notes: CallNotes
  readonly isolation: Isolation
  readonly places: CallPlaces
  readonly ends: CallEnds
}

/** Opens the backend: processes started by a previous hub keep their places until they end. */
export async function openProcessBackend(config: Settings, log: Logger): Promise<HostedBackend> {
  const notes = openCallNotes(config.dataDir)
  const clearing = callClearing(config.dataDir, notes)
  const { maxProcesses } = config.hosted
  const places = callPlaces({ maxProcesses, adopted: await notes.list(), notes, clearing, log })
  const ends = callEnds({ places, notes, clearing, log })
  const parts: Parts = { config, log, notes, isolation: isolationOf(config), places, ends }
  const { own } = places
  let placed: Promise<string> | undefined

  return {
    name: 'process',
    place() {
      placed ??= placeId(config.dataDir).catch((error: unknown) => {
        placed = undefined
        throw error
      })
      return placed
    },
    reserve: (call) => reserve(parts, call),
    wait: places.wait,
    async spawn(call) {
      const mine = own.get(call.callId)
      const fault = processFault(config)
      if (fault !== null) throw new SpawnRefused(fault)
      if (!mine) throw new Error('Room for a call is reserved first.')
      await start(parts, call, mine).catch((error: NodeJS.ErrnoException) => {
        if (error instanceof SpawnLater || PASSING.includes(error.code ?? '')) throw error
        throw new SpawnRefused(error.message, { cause: error })
      })
    },
    async release(callId) {
      if (own.get(callId)?.isSpawned === false) await places.leave(callId)
    },
    end: (callId) => end(parts, callId),
    cancel: ends.cancel,
    status: statusOf(parts),
    // A process runs as soon as it is spawned.
    waitsFor: async () => null,
    attend: ends.attend,
    async close() {
      places.close()
      await ends.close()
    },
  }
}

/** The note of a call that is being started: the mark is the hub's own. */
async function startingNote({ jobId }: HostedCall, room: Partial<CallRoom> = {}): Promise<CallNote> {
  return { ...{ jobId, mark: await processMark(process.pid), folder: null, user: null, isStarting: true }, ...room }
}

/** What another hub on this data directory, mostly the one before, has made of a call. */
async function leftBy({ notes, places }: Parts, callId: string): Promise<'nothing' | 'spawned'> {
  const note = await notes.read(callId)
  if (!note) return 'nothing'
  const isAlive = !(await hasEnded(note.mark))
  if (!note.isStarting && hasPassed(note.folder)) return 'spawned'
  // Its gate closes with its hub.
  if (isAlive) throw new SpawnLater('another hub is starting it')
  if (!(await places.cleared(callId, note.mark))) throw new SpawnLater('what a former hub left of it is not gone yet')
  places.adopted.delete(callId)
  return 'nothing'
}

async function reserve(parts: Parts, call: HostedCall): Promise<Room> {
  const { own, adopted, hasRoomFor } = parts.places
  const { callId } = call
  if (own.get(callId)?.isSpawned) return 'spawned'
  if (!hasRoomFor(callId)) return 'full'
  const mine: OwnCall = { ...call, isSpawned: false }
  own.set(callId, mine)
  try {
    if ((await leftBy(parts, callId)) === 'nothing') {
      if (await parts.notes.create(callId, await startingNote(mine))) return 'reserved'
      throw new SpawnLater('another hub is starting it')
    }
    adopted.add(callId)
  } catch (error) {
    own.delete(callId)
    throw error
  }
  own.delete(callId)
  return 'spawned'
}

/** Starts the command behind its gate, and opens the gate once the process is noted. */
async function start({ config, notes, isolation, ends }: Parts, call: CallToSpawn, mine: OwnCall): Promise<void> {
  const { callId } = call
  // Noted before each step, so that a hub that crashes here leaves no folder behind, and no process whose user the next
  // hub does not know.
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
    ...{ command: config.hosted.command ?? '', work, env, user: room.user },
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
  ends.watch(mine, mark, gated)
  await gated.open()
}

/** Asks the processes of a call to end, and kills them later. */
async function end({ notes, log }: Parts, callId: string): Promise<void> {
  const note = await notes.read(callId)
  if (note === null || note.isStarting) return
  await signalGroup(note.mark, 'SIGTERM')
  const kill = () =>
    signalGroup(note.mark, 'SIGKILL').catch((error: unknown) =>
      log.error({ err: error, call: callId }, 'a hosted process could not be ended'),
    )
  setTimeout(() => void kill(), KILL_AFTER_MS).unref()
}

function statusOf({ notes, places: { own, adopted } }: Parts): HostedBackend['status'] {
  const isOrphan = orphanWatch()
  return async (callIds) => {
    const statuses = callIds.map(async (callId): Promise<[string, CallStatus]> => {
      const note = await notes.read(callId)
      const isAnothers = note !== null && !own.has(callId) && !adopted.has(callId)
      if (isOrphan(callId, isAnothers && (await hasEnded(note.mark)))) adopted.add(callId)
      // The end of a call that is noted is reported by `attend`, with its reason.
      return [callId, { is: note === null && !own.has(callId) ? 'unknown' : 'running' }]
    })
    return new Map(await Promise.all(statuses))
  }
}
