/**
 * Runs the command in a process group of its own, so that it survives a killed runner. Its output and exit code go to
 * files.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { bootId, type ProcessName, startTimeOf } from './worker/living-process.ts'

/**
 * `$1` is the command, `$2` the exit-code file. A signal to the group ends the command; the shell survives to record
 * the exit code. The shell's own messages are discarded; the command's stderr goes to file descriptor 3.
 */
const wrapper = `trap : TERM INT HUP; sh -c "$1" 2>&3 3>&-; echo $? > "$2.new" && mv "$2.new" "$2"`

export interface CommandFiles {
  readonly dir: string
  readonly output: string
  readonly exitCode: string
  /** The file for standard input. */
  readonly input: string
}

/** Starts the command. Rejects if it cannot be spawned. */
export async function startCommand(
  command: string,
  files: CommandFiles,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ProcessName> {
  const output = openSync(files.output, 'a', 0o600)
  const input = openSync(files.input, 'r')
  try {
    const child = spawn('/bin/sh', ['-c', wrapper, 'hub-runner', command, files.exitCode], {
      cwd: files.dir,
      env: { ...env },
      detached: true,
      stdio: [input, output, 'ignore', output],
    })
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    child.unref()
    const pid = child.pid ?? 0
    return { pid, born: startTimeOf(pid) ?? '' }
  } finally {
    closeSync(output)
    closeSync(input)
  }
}

/** The exit code; null while the command runs, or if its shell was killed too. */
export async function exitCodeIn(file: string): Promise<number | null> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return /^\d+\s*$/.test(text) ? Number(text) : null
}

/** Whether a process of the group is alive. A reused pid does not count. */
export function isAlive({ pid, born }: ProcessName): boolean {
  const now = startTimeOf(pid)
  if (now !== null) return now === born || born === ''
  if (!born.startsWith(bootId())) return false
  // The shell is gone, but its children may be alive; until they exit, the group id is not reused.
  return signalGroup(pid, 0)
}

/** Sends SIGTERM to the group, and SIGKILL after `graceMs`. */
export async function stopCommand(command: ProcessName, graceMs: number): Promise<void> {
  if (!isAlive(command)) return
  signalGroup(command.pid, 'SIGTERM')
  const deadline = performance.now() + graceMs
  while (performance.now() < deadline) {
    if (!signalGroup(command.pid, 0)) return
    await delay(50)
  }
  signalGroup(command.pid, 'SIGKILL')
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return pid > 1 && process.kill(-pid, signal)
  } catch {
    return false
  }
}
