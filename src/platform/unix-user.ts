/** Unix users that processes run as. */
import { spawnSync } from 'node:child_process'

export interface UnixUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

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
