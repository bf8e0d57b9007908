/**
 * Starts the command of a call so that a hub that dies meanwhile leaves either a process that is noted or none. The
 * shell waits at a gate, which is a pipe from the hub. It is opened once the process is noted; a hub that dies before
 * closes it, and the shell ends without the command.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { UnixIds } from '../../platform/unix-user.ts'
import { asUser } from './as-user.ts'
import { workFolder } from './hosted-folder.ts'

/** In the folder that the process works in, written when it has passed the gate. */
const PASSED = '.started'
/** What a job leaves in a folder that it shares with others is for no one else. */
const GATE = `umask 077; read -r go && : >"$HOME/${PASSED}" && exec /bin/sh -c "$0" </dev/null`

/** Whether the command in this folder was started. */
export const hasPassed = (folder: string | null): boolean =>
  folder !== null && existsSync(join(workFolder(folder), PASSED))

export interface GatedProcess {
  readonly pid: number
  /** Resolves with the exit code or signal. */
  readonly ended: Promise<string>
  /** Starts the command. */
  open(): Promise<void>
  /** Ends the process before its command is started. */
  shut(): void
}

/** Resolves when the shell waits at the gate; rejects if it cannot be started. The process can outlive the hub. */
export async function startGated(options: {
  readonly command: string
  readonly work: string
  readonly env: Readonly<Record<string, string>>
  readonly user: UnixIds | null
  /** Whether the process and all that it starts stay the user that they are. */
  readonly isBound: boolean
}): Promise<GatedProcess> {
  const { command, work, env, user, isBound } = options
  const { file, args, ids } = asUser(user, ['/bin/sh', '-c', GATE, command], { isBound })
  const child = spawn(file, args, {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: work,
    env,
    ...ids,
  })
  await started(child)
  const { stdin } = child
  // A process that was killed at the gate: its end is reported by itself.
  stdin.on('error', () => undefined)
  child.unref()
  return {
    pid: child.pid ?? 0,
    ended: new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))),
    open: () => new Promise((resolve) => stdin.end('go\n', () => resolve())),
    shut: () => stdin.destroy(),
  }
}

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
}
