/**
 * A process that stays the user that it is, with all that it starts. Without that a call could leave a file of its own with the set-user-ID bit in the folder of a call that works with it,
 * which then becomes any later call that is given the uid.
 */
import { spawnSync } from 'node:child_process'

const BOUND = ['setpriv', '--no-new-privs', '--']

let isFound: boolean | undefined

/** A command line that runs `command` so. */
export const bound = (command: readonly string[]): readonly string[] => [...BOUND, ...command]

/** Why this machine cannot run one, as the end of a sentence; null if it can. */
export function boundFault(): string | null {
  const [file = '', ...args] = bound(['/bin/sh', '-c', ':'])
  isFound ??= spawnSync(file, args, { stdio: 'ignore' }).status === 0
  return isFound ? null : '`setpriv` of util-linux, which keeps a call from becoming another user, is missing'
}
