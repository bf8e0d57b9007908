/** A process of several that serve one port, joined to the others through its supervisor. */
import cluster from 'node:cluster'
import { peers } from '../platform/peers.ts'
import { SERVES } from './worker-role.ts'

/** What a process says to its supervisor. */
export interface Joined {
  /** It takes requests from now on. */
  serves(): void
  /** Lets the process end: the connection to the supervisor would keep it. */
  leave(): void
}

/** Null for a hub of one process. */
export function joinWorkers(): Joined | null {
  const { worker } = cluster
  if (!worker) return null
  // Of a supervisor that has died the connection is gone, and Node ends this process.
  const send = (message: object | string) => void (worker.isConnected() && worker.send(message, () => undefined))
  peers.join({ send })
  worker.on('message', (message: unknown) => peers.receive(message))
  return { serves: () => send(SERVES), leave: () => worker.disconnect() }
}
