/** Unix users that processes run as. */
import { execFile, spawnSync } from 'node:child_process'

/** What a process runs as. */
export interface UnixIds {
  readonly uid: number
  readonly gid: number
}

export interface UnixUser extends UnixIds {
  readonly name: string
}

/** Numbers from `first` to `last`, each a uid and a gid. */
export interface IdRange {
  readonly first: number
  readonly last: number
}

/** As in a setting: `70000-79999`. */
export const rangeText = ({ first, last }: IdRange): string => `${first}-${last}`

/** Looks up a user of this machine by name; null if there is none. */
export function findUser(name: string): UnixUser | null {
  const ask = (what: '-u' | '-g') => {
    const { status, stdout } = spawnSync('id', [what, '--', name], { encoding: 'utf8' })
    return status === 0 && /^\d+\n$/.test(stdout) ? Number(stdout) : null
  }
  const uid = ask('-u')
  const gid = ask('-g')
  return uid === null || gid === null ? null : { name, uid, gid }
}

/**
 * Whether a user or a group of this machine has the number, also one of a directory service. False where `getent` is
 * missing.
 */
export async function hasName(id: number): Promise<boolean> {
  const found = (table: string) =>
    new Promise<boolean>((resolve) => {
      execFile('getent', [table, String(id)], { timeout: 10_000 }, (error) => resolve(error === null))
    })
  return (await Promise.all([found('passwd'), found('group')])).includes(true)
}
