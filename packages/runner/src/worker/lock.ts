/** Workers may share a work folder; a lock keeps each job with one process. */
import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { nullIfMissing } from './growing-file.ts'
import { isRunning, thisProcess } from './living-process.ts'

/** Takes the lock; false while a living process holds it. That of a dead one is taken over, by one of many that try. */
export async function takeLock(file: string): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const own = `${file}.${randomUUID()}`
  await writeFile(own, JSON.stringify(thisProcess()), { mode: 0o600 })
  try {
    for (;;) {
      if (await linked(own, file)) return true
      const holder = await readFile(file, 'utf8').catch(nullIfMissing)
      if (holder !== null && isHeld(holder)) return false
      if (holder !== null) await removeStale(file, holder)
    }
  } finally {
    await rm(own, { force: true })
  }
}

/** Lets go of a lock that this process took. */
export async function dropLock(file: string): Promise<void> {
  await rm(file, { force: true })
}

async function linked(own: string, file: string): Promise<boolean> {
  try {
    await link(own, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function isHeld(holder: string): boolean {
  try {
    return isRunning(JSON.parse(holder))
  } catch {
    return false
  }
}

/** Another process may have taken the lock since it was read: what is moved away then is put back. */
async function removeStale(file: string, stale: string): Promise<void> {
  const moved = `${file}.${randomUUID()}`
  if ((await rename(file, moved).catch(nullIfMissing)) === null) return
  if ((await readFile(moved, 'utf8')) !== stale) await linked(moved, file)
  await rm(moved, { force: true })
}
