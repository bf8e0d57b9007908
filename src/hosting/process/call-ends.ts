/** How hosted calls end: by themselves, by a cancel, or while no hub was there to see it. Each end is recorded once. */
import type { Logger } from 'pino'
import { peers } from '../../platform/peers.ts'
import type { TellEnd } from '../backend.ts'
import { notEnded } from '../stop-call.ts'
import type { CallNote, CallNotes } from './call-notes.ts'
import type { CallPlaces, OwnCall } from './call-places.ts'
import type { CallClearing } from './clear-call.ts'
import { hasEnded, killGroup } from './process-group.ts'
import { type GatedProcess, hasPassed } from './start-process.ts'
import { endProcess } from './stop-process.ts'

/** Polling interval for the exit of processes that are not children of this hub. */
const LOOK_MS = 2_000
/** What processes ask each other: until a cancel of the call, if there is one, has recorded its end. */
const CANCELED = 'hosted call canceled'
/** A process that dies meanwhile does not answer; its cancel is over. */
const CANCEL_MS = 30_000

export interface CallEnds {
  /** Waits in the background for the end of a process that this hub started. */
  watch(call: OwnCall, mark: string, process: GatedProcess): void
  /** Ends the processes of a call, then runs `then` before the end is recorded. */
  cancel<T>(callId: string, then: () => Promise<T>): Promise<T>
  /** From now on ends are told to `told`; looks at once at the calls of former hubs. */
  attend(told: TellEnd): Promise<void>
  close(): Promise<void>
}

interface CallEndsOptions {
  readonly places: CallPlaces
  readonly notes: CallNotes
  readonly clearing: CallClearing
  readonly log: Logger
}

/** The ends of the calls that have `places`. */
export function callEnds({ places, notes, clearing, log }: CallEndsOptions): CallEnds {
  const cancels = callCancels(notes, clearing)
  let tell: TellEnd = () => Promise.reject(new Error('Hosted calls are not attended to yet.'))
  /** Ends what is left of a call that is over, which its place and its record wait for. */
  const settle = async (callId: string, mark: string) => {
    // If processes remain, clearing the call away finds them again.
    await clearing.endAll(callId, mark).catch(() => undefined)
    // A person may have canceled it with a request that came to another process of the port (`WORKERS`).
    await cancels.settled(callId)
    await peers.ask(CANCELED, callId, CANCEL_MS)
  }
  peers.whenAsked(CANCELED, async (callId) => {
    await cancels.settled(String(callId))
    return true
  })

  const finish = async (call: OwnCall, mark: string, how: string) => {
    await settle(call.callId, mark)
    await tell(call, `HOSTED_COMMAND ended with ${how}.`).catch((error: unknown) =>
      log.error({ err: error, job: call.jobId }, 'the end of a hosted job was not recorded'),
    )
    await places.leave(call.callId)
  }
  const own = ownEnds(finish, log)

  const { isCanceling } = cancels
  const finishAdopted = async (callId: string, { mark, jobId }: CallNote) => {
    await settle(callId, mark)
    await tell({ callId, jobId }, 'its process ended while the hub was down.')
  }
  const looks = repeatedly(
    () => lookAtAdopted({ places, notes, isCanceling, finish: finishAdopted }),
    () => places.adopted.size > 0,
    log,
  )

  return {
    watch: own.watch,
    cancel: cancels.cancel,
    async attend(told) {
      tell = told
      await looks.start()
    },
    async close() {
      const ending = own.close()
      await Promise.all([looks.stop(), ...ending])
    },
  }
}

/** Ends of processes that this hub started: each is recorded and cleared by `finish`. */
function ownEnds(finish: (call: OwnCall, mark: string, how: string) => Promise<void>, log: Logger) {
  /** Those that are being recorded and cleared. */
  const ending = new Set<Promise<void>>()
  let closed = false
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
  return {
    watch(call: OwnCall, mark: string, process: GatedProcess) {
      watchEnd(call, mark, process).catch((error: unknown) =>
        log.error({ err: error, job: call.jobId }, 'a hosted job was not cleaned up'),
      )
    },
    /** From now on no end is recorded; those that are being recorded. */
    close(): readonly Promise<void>[] {
      closed = true
      return [...ending]
    },
  }
}

interface AdoptedCalls {
  readonly places: CallPlaces
  readonly notes: CallNotes
  readonly isCanceling: (callId: string) => boolean
  /** Records the end of a call. */
  readonly finish: (callId: string, note: CallNote) => Promise<void>
}

/** Looks at the calls of former hubs: those that have ended are recorded and cleared. */
async function lookAtAdopted({ places, notes, isCanceling, finish }: AdoptedCalls): Promise<void> {
  const { own, adopted } = places
  for (const callId of adopted) {
    if (isCanceling(callId) || own.has(callId)) continue
    const note = await notes.read(callId)
    if (note && !(await hasEnded(note.mark))) continue
    // One that never passed its gate was not started: its call is still pending.
    if (note && !places.isStuck(callId) && !note.isStarting && (note.folder === null || hasPassed(note.folder)))
      await finish(callId, note)
    if (!(await places.cleared(callId, note?.mark ?? null))) continue
    adopted.delete(callId)
    places.freed()
  }
}

/** Calls that are being canceled: what else learns of their end waits until the cancel has recorded it. */
function callCancels(notes: CallNotes, clearing: CallClearing) {
  /** Each resolves when the end of its call is recorded. */
  const canceling = new Map<string, Promise<void>>()
  const settled = async (callId: string) => {
    while (canceling.has(callId)) await canceling.get(callId)
  }
  return {
    settled,
    isCanceling: (callId: string) => canceling.has(callId),
    async cancel<T>(callId: string, then: () => Promise<T>): Promise<T> {
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
  }
}

/** Looks at once, and then at intervals while there is something to look at; one look at a time. */
function repeatedly(look: () => Promise<void>, isNeeded: () => boolean, log: Logger) {
  let looking: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const again = () => {
    looking = looking.then(look).catch((error: unknown) => log.error({ err: error }, 'hosted jobs were not polled'))
    return looking
  }
  return {
    async start() {
      timer = setInterval(() => {
        if (isNeeded()) void again()
      }, LOOK_MS)
      timer.unref()
      await again()
    },
    stop() {
      clearInterval(timer)
      return looking
    },
  }
}
