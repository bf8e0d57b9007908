/** Places for hosted processes, and the queue for them; one instance per hub. */
declare module '../operation/context.ts' {
  interface Deps {
    /** Use `dispatchJob`. */
    readonly hosted: HostedPlaces
  }
}

/** A call and the job that it executes. */
export interface HostedCall {
  readonly callId: string
  readonly jobId: string
}

/** One place for a hosted process. */
export interface HostedPlace {
  /** Notes the call before it is recorded in the database: after a crash the next hub knows that it was never started. */
  begin(call: HostedCall): Promise<void>
  /** Notes the folder of the process before it starts. */
  prepare(folder: string): Promise<void>
  /** Notes the process. */
  start(pid: number): Promise<void>
  /** Waits while the call is being ended by `stop`, which records why. */
  settled(): Promise<void>
  /** Removes the folder and gives the place to the next in the queue. */
  leave(): Promise<void>
}

/** What a hub does about calls of the hub before it. */
export interface CallsOfBefore {
  /** Its process has ended. */
  readonly ended: (call: HostedCall) => Promise<void>
  /** It was never started. */
  readonly unstarted: (call: HostedCall) => Promise<void>
}

export interface HostedPlaces {
  /** Null if all `HOSTED_MAX_PROCESSES` places are taken. */
  take(): HostedPlace | null
  /** Calls whose process was started, including those of a previous hub; `mark` identifies the process. */
  calls(): Promise<readonly (HostedCall & { readonly mark: string })[]>
  /** Calls `start` when a place is free. A job waits at most once; the queue is not persistent. */
  wait(jobId: string, start: () => Promise<void>): void
  /**
   * Ends the process of a call, waits until it is gone, and then runs `then`, before the end of the process is recorded otherwise. 502 where it cannot be ended. A
   * call of another hub is left to that hub, which ends it with its job.
   */
  stop<T>(callId: string, then: () => Promise<T>): Promise<T>
  /** Watches calls of the previous hub from now on: each end is reported once, and again if reporting failed. */
  adopt(tell: CallsOfBefore): Promise<void>
  close(): Promise<void>
}
