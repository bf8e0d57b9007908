/** Where hosted processes wait for one of the places beside this hub; one for its life. */
declare module '../operation/context.ts' {
  interface Deps {
    /** Use `dispatchJob`. */
    readonly hosted: HostedPlaces
  }
}

/** One of the places that hosted processes have beside this hub. */
export interface HostedPlace {
  /** Keeps which process works in which folder, for the next start of the hub. */
  note(job: { readonly id: string; readonly callId: string }, pid: number, folder: string): Promise<void>
  /** Removes the folder and gives the slot to the next in the queue. */
  leave(): Promise<void>
}

export interface HostedPlaces {
  /** Null where all of `HOSTED_MAX_PROCESSES` are taken. */
  take(): HostedPlace | null
  /** Calls that have a place, those of a former hub among them; `mark` names the process. */
  calls(): Promise<readonly { readonly callId: string; readonly jobId: string; readonly mark: string }[]>
  /** Calls `start` once a place is left. A job waits once; a hub that stops forgets it. */
  wait(jobId: string, start: () => Promise<void>): void
  close(): Promise<void>
}
