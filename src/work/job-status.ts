/** The states that runs and checks share; an endpoint has words of its own for its two ends. Spec, "JobStatus". */
export type JobStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'

/** Final states. */
export const terminalStatuses: readonly JobStatus[] = ['succeeded', 'failed', 'canceled']

/** Whether a job of any kind has ended, whatever its words for that are: it can no longer change. */
export const hasEnded = (status: string): boolean => status !== 'queued' && status !== 'running'
