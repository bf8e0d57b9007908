/** Processes that a test stops and lets continue: a machine that hangs, whose connections stay open and say nothing. */
import { readdirSync, readFileSync } from 'node:fs'

/** The process and those that it has started. */
function familyOf(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
  return [pid, ...children.map(Number)]
}

function parentOf(pid: string): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    // It has ended meanwhile.
    return 0
  }
}

function send(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** Stops the process and its children, the parent first, so that no child is added. They continue when the result is called. */
export function pause(pid: number): () => void {
  send([pid], 'SIGSTOP')
  const pids = familyOf(pid)
  send(pids, 'SIGSTOP')
  return () => send(pids.toReversed(), 'SIGCONT')
}
