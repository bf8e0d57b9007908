/** Policies that drive robots beside each other, on one time line. Pure. */
import type { DriveState } from './drive-protocol.ts'

/** What is ahead of the slowest by more waits, in time of the model: a page is told ten times a second. */
const AHEAD_S = 0.2

/** How far a side is; null once it is over, or cannot begin. */
function timeOf(drive: DriveState | null): number | null {
  if (drive?.phase === 'refused') return null
  if (drive?.phase !== 'driving') return 0
  return drive.status.outcome ? null : drive.status.timeS
}

/** Which of the sides go on, while all of them play. One that is over waits for no other. */
export function inStep(drives: readonly (DriveState | null)[]): readonly boolean[] {
  const times = drives.map(timeOf)
  const slowest = Math.min(...times.filter((time) => time !== null))
  return times.map((time) => time !== null && time <= slowest + AHEAD_S)
}
