/** The command of a tracked run, of this process or of one that was killed. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { exitCodeIn, stopCommand } from '@hub/runner/command'
import type { ProcessName } from '@hub/runner/worker/living-process'
import { groupOf, isGroupAlive } from './launch.ts'
import { pause } from './pause.ts'
import { commandFiles, type TrackFiles } from './track-folder.ts'
import type { TrackJournal } from './track-journal.ts'

export interface FollowedCommand {
  /** Resolves when it has ended, with its exit code; null if a kill left none. */
  ended(): Promise<number | null>
  /** Forwards a signal to all of it. */
  signal(name: NodeJS.Signals): void
  /** SIGTERM, and after `graceMs` SIGKILL. */
  stop(graceMs: number): Promise<void>
}

const POLL_MS = 100
/** What is still in its pipes after its end is waited for. */
const DRAIN_MS = 2000
/** A shell that begins writes its id within so long. */
const BEGIN_MS = 5000

/** Follows the last command that the journal tells of. `child`: that of this process, unless another one started it. */
export function followCommand(files: TrackFiles, journal: TrackJournal, child: ChildProcess | null): FollowedCommand {
  const nth = journal.state.commands
  const { exitCode } = commandFiles(files, nth)
  // The end of our child wakes the wait once: what it started may live on.
  let waking = new AbortController()
  if (child !== null) void goneOf(child).finally(wake)
  function wake(): void {
    waking.abort()
    waking = new AbortController()
  }
  let group: ProcessName | null = journal.state.command
  const startedAt = performance.now()

  function look(): ProcessName | null {
    if (group !== null) return group
    group = groupOf(files, nth)
    if (group !== null) journal.put({ command: group })
    return group
  }

  async function isOver(): Promise<boolean> {
    if ((await exitCodeIn(exitCode)) !== null) return true
    const found = look()
    if (found !== null) return !isGroupAlive(found)
    // Its shell was killed before it began, or has not begun yet.
    return child?.exitCode != null || child?.signalCode != null || performance.now() - startedAt > BEGIN_MS
  }

  return {
    async ended() {
      while (!(await isOver())) await pause(POLL_MS, waking.signal)
      const until = performance.now() + DRAIN_MS
      const isDraining = () => (child === null ? isGroupAlive(look()) : child.exitCode === null && !child.signalCode)
      while (isDraining() && performance.now() < until) await delay(20)
      return exitCodeIn(exitCode)
    },
    signal(name) {
      const found = look()
      if (found === null) return void child?.kill(name)
      try {
        process.kill(-found.pid, name)
      } catch {
        // It has ended meanwhile.
      }
    },
    async stop(graceMs) {
      const found = look()
      if (found !== null) await stopCommand(found, graceMs)
    },
  }
}

async function goneOf(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
