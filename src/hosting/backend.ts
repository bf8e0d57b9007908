/** What the hub asks of the machines that execute hosted work. Contract, "Hosted runs". */
import type { TokenSeal } from './token-seal.ts'

declare module '../operation/context.ts' {
  interface Deps {
    /** Use `dispatchJob`. */
    readonly hosted: HostedBackend
    /** Seals the keys of calls that are not spawned yet. */
    readonly tokenSeal: TokenSeal
  }
}

/** A call and the job that it executes. */
export interface HostedCall {
  readonly callId: string
  readonly jobId: string
}

export interface CallToSpawn extends HostedCall {
  /** The kind of job: `run`. */
  readonly kind: string
  /** Name of the deployed function; for a run, its template. */
  readonly functionName: string
  /** The job's own key. */
  readonly token: string
  /** GPU tier; null for CPU work. */
  readonly tier: string | null
  /** The longest that the job may take from its claim on; null: no limit. */
  readonly maxSeconds: number | null
}

/** `unknown`: never spawned, or gone without a trace. */
export type CallStatus =
  | { readonly is: 'running' }
  | { readonly is: 'ended'; readonly how: string }
  | { readonly is: 'unknown' }

/** `full`: there is no room now. `spawned`: the call was spawned before. */
export type Room = 'reserved' | 'full' | 'spawned'

/** The call can never be spawned; the message is the reason, a sentence. Every other error of `spawn` is passing. */
export class SpawnRefused extends Error {}

/** A passing fault of the backend, which says when to come back. */
export class SpawnLater extends Error {
  readonly afterSeconds: number | null
  constructor(message: string, afterSeconds: number | null = null) {
    super(message)
    this.afterSeconds = afterSeconds
  }
}

/** Called once for each call that ended, and again if it rejected. */
export type TellEnd = (call: HostedCall, how: string) => Promise<void>

/** It knows calls by their ids: to spawn one twice, by one hub or by two, is to spawn it once. */
export interface HostedBackend {
  /** In `hosted_calls`. */
  readonly name: 'process' | 'kubernetes'
  /** Where its calls run: only hubs with the same place can spawn, ask or end them. Null: every hub can. */
  place(): Promise<string | null>
  /** Sets room aside, before the call is recorded in the database: `cancel` then waits for what is being spawned. */
  reserve(call: HostedCall): Promise<Room>
  /** Calls `start` when there is room again. A job waits at most once; the queue is not persistent. */
  wait(jobId: string, start: () => Promise<void>): void
  /** Spawns a call with reserved room. Throws `SpawnRefused`, or another error where a later try may succeed. */
  spawn(call: CallToSpawn): Promise<void>
  /** Gives back the room of a call that was not spawned. */
  release(callId: string): Promise<void>
  /** Asks a call to end, and does not wait for it. */
  end(callId: string): Promise<void>
  /**
   * Ends a call, waits until it is gone, and then runs `then`, before the end of the call is recorded otherwise. 502
   * where it cannot be ended. A call that only another hub can reach is left to that hub, which ends it with its job.
   */
  cancel<T>(callId: string, then: () => Promise<T>): Promise<T>
  status(callIds: readonly string[]): Promise<ReadonlyMap<string, CallStatus>>
  /**
   * What a running call that did not claim its job waits for, such as a node or an image; null if the backend does not
   * say.
   */
  waitsFor(callId: string): Promise<string | null>
  /** From now on reports ends that it learns of by itself; all others are found by `status`. */
  attend(tell: TellEnd): Promise<void>
  close(): Promise<void>
}
