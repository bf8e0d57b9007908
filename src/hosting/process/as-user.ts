/**
 * How a process is started as another user. On Linux `setpriv` becomes the user after it was started, never Node
 * before: Node waits, and its whole event loop with it, until what it starts has replaced itself by its program. With
 * the user's uid it can be stopped before that by any process of this user, forever.
 */
import { spawnSync } from 'node:child_process'
import { lazy } from '../../platform/lazy.ts'
import type { UnixIds } from '../../platform/unix-user.ts'

export interface CommandOfUser {
  readonly file: string
  readonly args: readonly string[]
  /** For `spawn`: empty where the command line does it. */
  readonly ids: Partial<UnixIds>
}

interface Options {
  /**
   * Whether the process stays the user that it is, with all that it starts. Without that a call could leave a file of
   * its own with the set-user-ID bit in the folder of a call that works with it, which then becomes any later call that
   * is given the uid.
   */
  readonly isBound?: boolean
}

const isLinux = process.platform === 'linux'
const ownUid = () => process.getuid?.()
const ownGid = () => process.getgid?.()

/** `command` as the user; null: as the hub's own. */
export function asUser(
  user: UnixIds | null,
  command: readonly [string, ...string[]],
  { isBound = false }: Options = {},
): CommandOfUser {
  const [file, ...args] = command
  if (user === null || (user.uid === ownUid() && user.gid === ownGid())) return { file, args, ids: {} }
  const { uid, gid } = user
  if (!isLinux) return { file, args, ids: { uid, gid } }
  return {
    file: 'setpriv',
    args: [...switches(user), ...(isBound ? ['--no-new-privs'] : []), '--', ...command],
    ids: {},
  }
}

const switches = ({ uid, gid }: UnixIds) => [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']

/**
 * Why this machine cannot start a process as another user, as the end of a sentence; null if it can. It is tried once
 * in a process.
 */
export const asUserFault: () => string | null = lazy(() =>
  !isLinux || canSwitch() ? null : '`setpriv` of util-linux, which starts a call as its user, does not run',
)

/** As the user that the hub is already: the same calls of the system, with nothing changed. */
function canSwitch(): boolean {
  const own = { uid: ownUid() ?? 0, gid: ownGid() ?? 0 }
  const args = [...switches(own), '--no-new-privs', '--', '/bin/sh', '-c', ':']
  return spawnSync('setpriv', args, { stdio: 'ignore' }).status === 0
}
