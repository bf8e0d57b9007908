/**
 * A process that stays the user that it is, with all that it starts. Without that a call could leave a file of its own
 * with the set-user-ID bit in the folder of a call that works with it, which then becomes any later call that is given
 * the uid.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const BOUND = ['setpriv', '--no-new-privs', '--']

let fault: string | null | undefined

/**
 * Whether a process with this `/proc/PID/status` is bound, and so is all that it starts: as systemd's `NoNewPrivileges`
 * does. `setpriv` may be forbidden to it.
 */
export const isBound = (status: string): boolean => /^NoNewPrivs:\s+1$/m.test(status)

const isHubBound = () => isBound(readFileSync('/proc/self/status', 'utf8'))

/** A command line that runs `command` so. */
export const bound = (command: readonly string[]): readonly string[] =>
  isHubBound() ? command : [...BOUND, ...command]

/** Why this machine cannot run one, as the end of a sentence; null if it can. */
export function boundFault(): string | null {
  if (fault === undefined) {
    const [file = '', ...args] = bound(['/bin/sh', '-c', ':'])
    const isRun = spawnSync(file, args, { stdio: 'ignore' }).status === 0
    fault = isRun ? null : '`setpriv` of util-linux, which keeps a call from becoming another user, does not run'
  }
  return fault
}
