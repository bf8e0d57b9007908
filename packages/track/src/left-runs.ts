/** `hub track --resume`: what earlier tracked runs left on this machine. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { LocalError } from '@hub/client/internal'
import { nullIfMissing } from '@hub/runner/worker/growing-file'
import { dropLock, takeLock } from '@hub/runner/worker/lock'
import { groupOf, isGroupAlive } from './launch.ts'
import { type Tracking, type TrackOutcome, trackRun } from './track.ts'
import { type TrackFiles, trackFiles } from './track-folder.ts'
import { readTrackState, reopenTrackJournal, type TrackState } from './track-journal.ts'

export interface LeftRun {
  readonly files: TrackFiles
  readonly state: TrackState
  /** Its command still runs. */
  readonly isAlive: boolean
}

/** What earlier commands left on this machine. */
export interface LeftOnMachine {
  /** Of this hub, not all sent, newest first. */
  readonly runs: readonly LeftRun[]
  /** What is not sent to this hub, as a person would name it, and why. */
  readonly others: readonly { readonly name: string; readonly why: string }[]
}

/** `url`: of the hub; `run`: only that one. */
export async function leftRuns(stateDir: string, url: string, run: string | null): Promise<LeftOnMachine> {
  const names = (await readdir(stateDir).catch(nullIfMissing)) ?? []
  const runs: LeftRun[] = []
  const others: { name: string; why: string }[] = []
  for (const name of names) {
    const files = trackFiles(join(stateDir, name))
    const state = readTrackState(files)
    if (state === null || (run !== null && state.runId !== run && name !== run)) continue
    const isOver = state.done && !state.unsent
    if (state.url !== url) {
      if (!isOver) others.push({ name: nameOf({ files, state }), why: `is of ${state.url}, not of ${url}` })
      continue
    }
    if (isOver) {
      // A kill came between its end and the removal of its folder.
      await rm(files.root, { recursive: true, force: true })
    } else if (state.done) {
      // What the hub refused is for a person to look at.
      others.push({ name: nameOf({ files, state }), why: `ended; what the hub did not take stays in ${files.root}` })
    } else if (state.gaveUp === null) runs.push({ files, state, isAlive: livesStill(files, state) })
    else
      others.push({ name: nameOf({ files, state }), why: `was given up (${state.gaveUp}); it stays in ${files.root}` })
  }
  return { runs: runs.sort((a, b) => b.state.createdAt - a.state.createdAt), others }
}

/** Its id; before the hub has begun it, its folder. */
export const nameOf = ({ state, files }: Pick<LeftRun, 'state' | 'files'>): string =>
  state.started ? state.runId : files.root

const livesStill = (files: TrackFiles, state: TrackState) =>
  state.ending === null && isGroupAlive(state.command ?? groupOf(files, state.commands))

/** The shell of a command that has just ended is there for a moment longer. */
const ENDING_MS = 3000

/** Rejects while the command of the run goes on: a second one would write to the same files. */
async function assertEnded(files: TrackFiles, state: TrackState): Promise<void> {
  const until = performance.now() + ENDING_MS
  while (livesStill(files, state)) {
    if (performance.now() > until) {
      const { pid } = state.command ?? groupOf(files, state.commands) ?? {}
      throw new LocalError(
        `The command of ${nameOf({ files, state })} still runs (process ${pid}): ` +
          '`hub track --resume` without a command follows it; end it first to begin it again.',
      )
    }
    await delay(50)
  }
}

/**
 * Goes on with a left run; null while another process has it. `argv` begins its command again; rejects with a
 * `LocalError` where that still runs.
 */
export async function resumeRun(
  tracking: Tracking,
  { files }: LeftRun,
  argv: readonly string[] | null,
): Promise<TrackOutcome | null> {
  if (!(await takeLock(files.lock))) return null
  try {
    // Another process may have ended it meanwhile.
    const state = readTrackState(files)
    if (state === null || state.done) return null
    if (argv !== null) await assertEnded(files, state)
    return await trackRun(tracking, files, reopenTrackJournal(files, state), argv)
  } finally {
    await dropLock(files.lock)
  }
}
