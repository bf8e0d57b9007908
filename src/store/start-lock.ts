/** A lock file for the embedded PostgreSQL; the lock of a killed process is taken over. */
import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

const START_DEADLINE_MS = 60_000
/** Removing a lock takes milliseconds; a process that takes longer was killed. */
const TAKING_MS = 5_000

/** One process at a time initializes or starts the cluster; the lock of a dead process is taken over. */
export async function withStartLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const path = `${dataDir}/postgres.starting`
  const draft = `${path}.${randomUUID()}`
  const deadline = Date.now() + START_DEADLINE_MS
  await mkdir(dataDir, { recursive: true })
  await writeFile(draft, await processMark(process.pid))
  try {
    // Creating a link is atomic: a lock is never read without its holder.
    while (!(await succeeds(link(draft, path)))) {
      const holder = await readFile(path, 'utf8').catch(() => null)
      if (holder !== null && holder !== (await processMark(Number.parseInt(holder, 10)))) await takeAway(path, holder)
      else if (Date.now() > deadline)
        throw new Error(`Another process (${holder}) is still starting PostgreSQL: ${path}`)
      else await delay(25)
    }
  } finally {
    await rm(draft, { force: true })
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

/** Removes a dead holder's lock. One process at a time and after a second check, so that a late one does not remove the next holder's lock. */
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

/** Identifies a running process by pid and start time: pids are reused, especially after a container restart. */
export async function processMark(pid: number): Promise<string> {
  if (!(await isRunning(pid))) return `${pid} ended`
  const started = process.platform === 'linux' ? (await statOf(pid))[19] : ''
  return `${pid} ${started ?? ''}`
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
