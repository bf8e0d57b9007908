/** The command of a run as a process group of its own, which outlives a runner that is killed: its output goes into a file, its exit code too. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunningCommand } from './journal.ts'

/**
 * `$1` is the command, `$2` the file of its exit code. A signal to the group ends the command; the shell stays to say how it ended, and
 * says nothing else: its own words go nowhere, those of the command to the third file.
 */
const wrapper = `trap : TERM INT HUP; sh -c "$1" 2>&3 3>&-; echo $? > "$2.new" && mv "$2.new" "$2"`

export interface CommandFiles {
  readonly dir: string
  readonly output: string
  readonly exitCode: string
  /** What standard input is read from. */
  readonly input: string
}

/** Starts it. Rejects when no process can be made. */
export async function startCommand(
  command: string,
  files: CommandFiles,
  env: Readonly<Record<string, string | undefined>>,
): Promise<RunningCommand> {
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
    return { pid, born: bornAt(pid) ?? '' }
  } finally {
    closeSync(output)
    closeSync(input)
  }
}

/** The exit code, once the command has ended; null before, and when its shell was killed too. */
export async function exitCodeIn(file: string): Promise<number | null> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return /^\d+\s*$/.test(text) ? Number(text) : null
}

/** Whether a process of the group is alive. A number that was given to another process since does not count. */
export function isAlive({ pid, born }: RunningCommand): boolean {
  const now = bornAt(pid)
  if (now !== null) return now === born || born === ''
  if (!born.startsWith(bootOf())) return false
  // The shell is gone; what it began may still be there. Its group's number is not given out again before.
  return signalGroup(pid, 0)
}

/** Asks the group to end, and ends it after `graceMs`. */
export async function stopCommand(command: RunningCommand, graceMs: number): Promise<void> {
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

/** When the process began, as the system counts it; null when there is none. Where that cannot be told, '' for every living one. */
function bornAt(pid: number): string | null {
  if (process.platform !== 'linux') return isProcess(pid) ? '' : null
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything; after it, the state is field 3 and the start 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? null : `${bootOf()} ${fields[19]}`
  } catch {
    return null
  }
}

/** Process ids start over with each boot of the machine. */
function bootOf(): string {
  return process.platform === 'linux' ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : ''
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** This process, as it is told from a later one of the same number. */
export const thisProcess = (): RunningCommand => ({ pid: process.pid, born: bornAt(process.pid) ?? '' })
