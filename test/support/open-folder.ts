/** Where hosted processes and the test that watches them meet: each process may have a uid of its own. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uidsFault } from '../../src/hosting/process/own-uids.ts'

export const isRoot = process.getuid?.() === 0
export const asRoot = 'as root, which the hub must be to start processes as other users'

/** Whether a hub here can give each call a uid of its own: in some containers root cannot. */
export const givesUids = uidsFault({ first: 70_000, last: 99_999 }) === null

/** A temporary folder that every user may read and write. */
export function openFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  chmodSync(folder, 0o777)
  return folder
}

/** An empty file that every user may read and write, for what several calls say. */
export function openFile(path: string): string {
  writeFileSync(path, '')
  chmodSync(path, 0o666)
  return path
}

/** Whether other users can run the programs of this checkout. */
export const reachesCheckout =
  !isRoot || spawnSync(process.execPath, ['--version'], { uid: 70_000, gid: 70_000, stdio: 'ignore' }).status === 0

/** For hosted processes that run this checkout: their uids are their own unless it is in a folder that only root enters. */
export const reachingCheckout: Readonly<Record<string, string>> = reachesCheckout ? {} : { HOSTED_UIDS: 'off' }
