/** How much processor time another process has had: a busy machine must not change a verdict. */
import { readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second, whatever the kernel's own clock. */
const TICK_MS = 10

/** Milliseconds of processor of the process so far, in user and kernel; null where the system does not tell (other than Linux), or the process is gone. */
export function processorMsOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program, in parentheses, may hold blanks; user and system time are the 12th and 13th member behind it.
    const members = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(members[11]) + Number(members[12])) * TICK_MS
  } catch {
    return null
  }
}
