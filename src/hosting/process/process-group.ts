/** The process group of a hosted call, named by the mark of its leader (`processMark`). */
import { processMark } from '../../store/start-lock.ts'

/** Whether the noted process has ended. Its pid may belong to another process by now. */
export async function hasEnded(mark: string): Promise<boolean> {
  return (await processMark(pidOf(mark))) !== mark
}

/**
 * Signals the group while its leader is there; throws where the system does not permit it. Never the hub's own group,
 * whose pid marks a call that is being started.
 */
export async function signalGroup(mark: string, name: NodeJS.Signals): Promise<void> {
  const pid = pidOf(mark)
  if (!(pid > 1) || pid === process.pid || (await hasEnded(mark))) return
  try {
    process.kill(-pid, name)
  } catch (error) {
    // It has ended since.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Ends what is left of the process group: it has no folder, place or key any more. 0 would be the hub's own. */
export function killGroup(pid: number): void {
  if (!(pid > 1)) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Usual case: no process is left.
  }
}

const pidOf = (mark: string) => Number.parseInt(mark, 10)
