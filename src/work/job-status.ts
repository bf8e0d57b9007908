/** The states that runs and checks share; an endpoint has words of its own for its two ends. Spec, "JobStatus". */
export type JobStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'

/** Final states. */
export const terminalStatuses: readonly JobStatus[] = ['succeeded', 'failed', 'canceled']
