/** The working folder of one hosted process, removed with it. */
import { execFile } from 'node:child_process'
import { chown, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { UnixUser } from '../../platform/unix-user.ts'

/** Creates an empty folder that only `user` (null: the hub's own user) can access, in the system's temporary directory. */
export async function makeHostedFolder(user: UnixUser | null): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-hosted-'))
  if (user !== null) await chown(folder, user.uid, user.gid)
  return folder
}

/** Removed as its own user: the process could place a symlink to mislead a removal by root. */
export async function removeHostedFolder(folder: string, user: UnixUser | null): Promise<void> {
  const runAs = user === null ? {} : { uid: user.uid, gid: user.gid }
  await promisify(execFile)('rm', ['-rf', '--', folder], { ...runAs, cwd: '/', env: { PATH: process.env.PATH } })
}
