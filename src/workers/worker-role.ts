/** What this process is to its hub. */
import cluster from 'node:cluster'
import type { WorkerRole } from './supervisor.ts'

/** The variable in which a supervisor tells a process its part; not a setting. */
export const ROLE_VARIABLE = 'HUB_WORKER_ROLE'
/** Set for the process that begins a hub: it alone greets, and binds its address before it makes anything. */
export const FIRST_VARIABLE = 'HUB_WORKER_FIRST'

export interface ProcessPart {
  /** Whether it works on jobs, sweeps and hosted calls. */
  readonly isBackground: boolean
  /** Whether others serve the port already: it must not take a request before it can answer. */
  readonly joinsLater: boolean
}

/** Whether the settings ask for several processes; what is not a number is for the reader of settings to refuse. */
export const isSeveral = (environment: NodeJS.ProcessEnv): boolean => Number(environment.WORKERS?.trim() || 1) !== 1

/** The part of a hub of one process. */
export const whole: ProcessPart = { isBackground: true, joinsLater: false }

/** That of this process. */
export function processPart(environment: NodeJS.ProcessEnv): ProcessPart {
  if (!cluster.isWorker) return whole
  const background: WorkerRole = 'background'
  return {
    isBackground: environment[ROLE_VARIABLE] === background,
    joinsLater: environment[FIRST_VARIABLE] !== '1',
  }
}

/** What a process tells its supervisor once it serves requests. */
export const SERVES = 'serves'
