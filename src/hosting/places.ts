/** Places for hosted processes, and the queue for them; one instance per hub. */
declare module '../operation/context.ts' {
  interface Deps {
    /** Use `dispatchJob`. */
    readonly hosted: HostedPlaces
  }
}

/** One place for a hosted process. */
export interface HostedPlace {
  /** Records the process and its folder, for the next start of the hub. */
  note(job: { readonly id: string; readonly callId: string }, pid: number, folder: string): Promise<void>
  /** Removes the folder and gives the place to the next in the queue. */
  leave(): Promise<void>
}

export interface HostedPlaces {
  /** Null if all `HOSTED_MAX_PROCESSES` places are taken. */
  take(): HostedPlace | null
  /** Calls with a place, including those of a previous hub; `mark` identifies the process. */
  calls(): Promise<readonly { readonly callId: string; readonly jobId: string; readonly mark: string }[]>
  /** Calls `start` when a place is free. A job waits at most once; the queue is not persistent. */
  wait(jobId: string, start: () => Promise<void>): void
  close(): Promise<void>
}
