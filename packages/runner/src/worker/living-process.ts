/** Whether a process is still the one that was recorded: its id alone may be another's by now. */
import { readFileSync } from 'node:fs'

/** A process, distinguishable from a later one with the same id. */
export interface ProcessName {
  readonly pid: number
  /** The boot and the time in it at which the process started; '' outside Linux. */
  readonly born: string
}

export const thisProcess = (): ProcessName => ({ pid: process.pid, born: startTimeOf(process.pid) ?? '' })

/** Whether the process itself is alive. */
export function isRunning({ pid, born }: ProcessName): boolean {
  const now = startTimeOf(pid)
  return now !== null && (now === born || born === '')
}

/** Start time of the process; null if there is none. Always '' outside Linux, where it is not readable. */
export function startTimeOf(pid: number): string | null {
  if (process.platform !== 'linux') return isProcess(pid) ? '' : null
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The parenthesized name may contain anything; after it come the state (field 3) and the start time (field 22).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? null : `${bootId()} ${fields[19]}`
  } catch {
    return null
  }
}

/** Process ids start over with each boot. */
export function bootId(): string {
  return process.platform === 'linux' ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : ''
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
