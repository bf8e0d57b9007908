/** The places for hosted calls on this machine: which calls have one, and which jobs wait for one. */
import type { Logger } from 'pino'
import type { HostedCall } from '../backend.ts'
import type { CallNotes } from './call-notes.ts'
import type { CallClearing } from './clear-call.ts'

/** A call of this hub itself. */
export interface OwnCall extends HostedCall {
  isSpawned: boolean
}

export interface CallPlaces {
  readonly own: Map<string, OwnCall>
  /** Calls of other hubs on this data directory, mostly of the one before. */
  readonly adopted: Set<string>
  /** Whether something of the call remains although it was cleared away; its end is recorded. */
  isStuck(callId: string): boolean
  hasRoomFor(callId: string): boolean
  /** Calls `begin` when a place is free; a job waits once. */
  wait(jobId: string, begin: () => Promise<void>): void
  /** Gives a place that may be free to the longest-waiting job. */
  freed(): void
  /** Clears the call away. False if something of it remains: its place is taken until that is gone. */
  cleared(callId: string, mark: string | null): Promise<boolean>
  /** Clears a call of this hub away and frees its place. */
  leave(callId: string): Promise<void>
  /** No waiting job gets a place any more. */
  close(): void
}

/** The places of a hub; `adopted` are the calls that were recorded before it started. */
export function callPlaces(options: {
  readonly maxProcesses: number
  readonly adopted: readonly string[]
  readonly notes: CallNotes
  readonly clearing: CallClearing
  readonly log: Logger
}): CallPlaces {
  const { maxProcesses, notes, clearing, log } = options
  const own = new Map<string, OwnCall>()
  const adopted = new Set(options.adopted)
  const stuck = new Set<string>()
  const waiting = new Map<string, () => Promise<void>>()
  let closed = false

  const freed = () => {
    const [next] = waiting
    if (next === undefined || closed || own.size + adopted.size >= maxProcesses) return
    waiting.delete(next[0])
    next[1]().catch((error: unknown) => log.error({ err: error, job: next[0] }, 'a waiting hosted job was not started'))
  }

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

  return {
    own,
    adopted,
    isStuck: (callId) => stuck.has(callId),
    hasRoomFor(callId) {
      const others = adopted.size - (adopted.has(callId) ? 1 : 0)
      return !own.has(callId) && own.size + others < maxProcesses
    },
    wait(jobId, begin) {
      if (!waiting.has(jobId)) waiting.set(jobId, begin)
    },
    freed,
    cleared,
    async leave(callId) {
      try {
        await cleared(callId, (await notes.read(callId))?.mark ?? null)
      } finally {
        own.delete(callId)
        freed()
      }
    },
    close() {
      closed = true
      waiting.clear()
    },
  }
}
