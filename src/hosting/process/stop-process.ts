/** Ends a hosted process and waits until it is gone. */
import { setTimeout as sleep } from 'node:timers/promises'
import { notEnded } from '../stop-call.ts'
import { hasEnded, signalGroup } from './process-group.ts'

const LOOK_MS = 25
/** From SIGTERM to SIGKILL, and to giving up. */
const KILL_AFTER_MS = 5_000
const REFUSED_AFTER_MS = 15_000

/** Of a call on this machine. */
export interface NotedCall {
  /** `processMark` of its process; that of the hub while the process is being started. */
  readonly mark: string
  readonly isStarting: boolean
}

/**
 * Ends the process of a call and waits until it is gone; `note` is null once the call has left its place. 502 where the
 * system does not let it be ended.
 */
export async function endProcess(note: () => Promise<NotedCall | null>): Promise<void> {
  const began = performance.now()
  let sent: NodeJS.Signals | null = null
  for (;;) {
    const call = await note()
    // A hub that died while it started the process has started none.
    if (call === null || (await hasEnded(call.mark))) return
    const age = performance.now() - began
    if (age > REFUSED_AFTER_MS) throw notEnded('its process did not end in time')
    const signal = age > KILL_AFTER_MS ? 'SIGKILL' : 'SIGTERM'
    if (!call.isStarting && signal !== sent) {
      await signalGroup(call.mark, signal).catch((error: Error) => {
        throw notEnded(error.message)
      })
      sent = signal
    }
    await sleep(LOOK_MS)
  }
}
