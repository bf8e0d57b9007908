/** Lock files, and what tells the process that holds one from any other; the lock of a killed process is taken over. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { link, mkdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { lazy } from '../platform/lazy.ts'

const WAIT_MS = 60_000
/** Removing a lock takes milliseconds; a process that takes longer was killed. */
const TAKING_MS = 5_000

/** One process at a time initializes or starts the cluster of a data directory. */
export function withStartLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const path = `${dataDir}/postgres.starting`
  return withFileLock(path, (holder) => `Another process (${holder}) is still starting PostgreSQL: ${path}`, work)
}

/**
 * Runs `work` while this process holds the lock file `path`, whose folder is made. Throws `busy(holder)` if it is not
 * free within a minute.
 */
export async function withFileLock<T>(
  path: string,
  busy: (holder: string) => string,
  work: () => Promise<T>,
): Promise<T> {
  const mark = `${path}.${randomUUID()}`
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeMark(mark)
  try {
    return await withMarkedLock({ path, mark, busy }, work)
  } finally {
    await rm(mark, { force: true })
  }
}

/** Writes the new file `path`, which says which process this is. */
export async function writeMark(path: string): Promise<void> {
  await writeFile(path, await processMark(process.pid), { mode: 0o600, flag: 'wx' })
}

interface MarkedLock {
  readonly path: string
  /** A file of `writeMark` on the same disk: the lock is a link to it, which a full disk has room for. */
  readonly mark: string
  readonly busy: (holder: string) => string
}

/** The same with a mark that is there already, for a folder that is there. */
export async function withMarkedLock<T>({ path, mark, busy }: MarkedLock, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + WAIT_MS
  // Creating a link is atomic: a lock is never read without its holder.
  while (!(await succeeds(link(mark, path)))) {
    const holder = await readFile(path, 'utf8').catch(() => null)
    if (holder !== null && holder !== (await processMark(Number.parseInt(holder, 10)))) await takeAway(path, holder)
    else if (performance.now() > deadline) throw new Error(busy(holder ?? 'unknown'))
    else await delay(25)
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

function succeeds(action: Promise<unknown>): Promise<boolean> {
  return action.then(
    () => true,
    () => false,
  )
}

/**
 * Removes a dead holder's lock. One process at a time and after a second check, so that a late one does not remove the
 * next holder's lock.
 */
async function takeAway(path: string, holder: string): Promise<void> {
  const taking = `${path}.taking`
  if (!(await succeeds(mkdir(taking)))) {
    const since = (await stat(taking).catch(() => null))?.mtimeMs ?? Date.now()
    if (Date.now() - since > TAKING_MS) await succeeds(rmdir(taking))
    await delay(5)
    return
  }
  try {
    if ((await readFile(path, 'utf8').catch(() => null)) === holder) await rm(path, { force: true })
  } finally {
    await succeeds(rmdir(taking))
  }
}

/** Changes when the machine starts again; empty where the system has none. */
const bootId = lazy(() => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
})

/**
 * Identifies a running process by pid, start time and boot: pids are reused, especially after a restart of the machine
 * or a container.
 */
export async function processMark(pid: number): Promise<string> {
  if (!(await isRunning(pid))) return `${pid} ended`
  const started = process.platform === 'linux' ? (await statOf(pid))[19] : ''
  return `${pid} ${started ?? ''} ${bootId()}`
}

/** Whether the process that the mark was made of ran since this machine was started. */
export function isOfThisBoot(mark: string): boolean {
  return mark.split(' ')[2] === bootId()
}

/** The fields of `/proc/<pid>/stat` from the third (state) on: the second is a name that may hold anything. */
async function statOf(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** Whether the process is running and not a zombie. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return process.platform !== 'linux' || !['Z', 'X', ''].includes((await statOf(pid))[0] ?? '')
}
