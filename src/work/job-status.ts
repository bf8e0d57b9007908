/** The states that runs and checks share; endpoints have other names for their two final states. Spec, "JobStatus". */
export type JobStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'

/** Final states. */
export const terminalStatuses: readonly JobStatus[] = ['succeeded', 'failed', 'canceled']

/** Whether a job of any kind has ended, by any of its final states: its status can no longer change. */
export const hasEnded = (status: string): boolean => status !== 'queued' && status !== 'running'
