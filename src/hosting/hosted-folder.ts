/** The folder that one hosted process works in and that goes with it. */
import { execFile } from 'node:child_process'
import { chown, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { UnixUser } from '../platform/unix-user.ts'

/** A new empty folder that only `user` (null: the hub's own) can enter, under the machine's own place for such. */
export async function makeHostedFolder(user: UnixUser | null): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-hosted-'))
  if (user !== null) await chown(folder, user.uid, user.gid)
  return folder
}

/** Removed by its own user: what works there could put a link in the way of a root that removes. */
export async function removeHostedFolder(folder: string, user: UnixUser | null): Promise<void> {
  const runAs = user === null ? {} : { uid: user.uid, gid: user.gid }
  await promisify(execFile)('rm', ['-rf', '--', folder], { ...runAs, cwd: '/', env: { PATH: process.env.PATH } })
}
