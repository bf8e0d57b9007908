/** CPU time of another process: a busy machine must not change a result. */
import { readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second, whatever the kernel's own clock. */
const TICK_MS = 10

/**
 * CPU milliseconds of a process in user and kernel mode; null on systems other than Linux, or if the process is gone.
 */
export function processorMsOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program, in parentheses, may contain blanks; user and system time are the 12th and 13th field
    // after it.
    const members = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(members[11]) + Number(members[12])) * TICK_MS
  } catch {
    return null
  }
}
