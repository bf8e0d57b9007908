/** The processes of a uid that one call has for itself. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pMap from 'p-map'
import type { UnixIds } from '../../platform/unix-user.ts'
import { asUser } from './as-user.ts'

const run = promisify(execFile)

const LOOK_MS = 25
/** One that waits for a device does not die at once. */
const GIVE_UP_MS = 15_000
/** What ends the processes of a user is itself one of them, which the others may stop. */
const END_MS = 1_000
/** Below are the accounts of the system; a signal to all processes of root would end the machine. */
export const LEAST_UID = 1000

/**
 * Runs a shell script as a user, with nothing of the hub's environment. One that takes longer than `timeoutMs` is
 * killed, and rejects; 0: it may take any time.
 */
export function runAs(user: UnixIds, script: string, args: readonly string[] = [], timeoutMs = 0) {
  const env = { PATH: process.env.PATH }
  const limit = { timeout: timeoutMs, killSignal: 'SIGKILL' } as const
  const { file, args: all, ids } = asUser(user, ['/bin/sh', '-c', script, 'sh', ...args])
  return run(file, all, { ...ids, cwd: '/', env, ...limit })
}

/** Pids by the uids that processes run as. */
export async function processesByUid(): Promise<ReadonlyMap<number, readonly number[]>> {
  const byUid = new Map<number, number[]>()
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const look = async (pid: string) => {
    // It may be gone by now.
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    for (const uid of uidsOf(status)) byUid.set(uid, [...(byUid.get(uid) ?? []), Number(pid)])
  }
  await pMap(pids, look, { concurrency: 16 })
  return byUid
}

/**
 * The uids in a `/proc/PID/status` (real, effective, saved, of files); none of a zombie, which can do nothing. One
 * whose first thread has ended only looks like a zombie.
 */
export function uidsOf(status: string): ReadonlySet<number> {
  const [, state] = /^State:\s+(\w)/m.exec(status) ?? []
  const [, threads] = /^Threads:\s+(\d+)/m.exec(status) ?? []
  if (/[ZX]/.test(state ?? '') && Number(threads) <= 1) return new Set()
  const [, uids = ''] = /^Uid:\s+([\d\s]+?)$/m.exec(status) ?? []
  return new Set(uids.split(/\s+/).filter(Boolean).map(Number))
}

/**
 * Ends every process of a user, those that left its process group too, and waits until none is left. Throws if one
 * stays.
 */
export async function endAllOf(user: UnixIds): Promise<void> {
  if (!(user.uid >= LEAST_UID)) throw new Error(`${user.uid} is not a uid of hosted calls.`)
  const deadline = performance.now() + GIVE_UP_MS
  for (;;) {
    const left = (await processesByUid()).get(user.uid) ?? []
    if (left.length === 0) return
    if (performance.now() > deadline) throw new Error(`process ${left[0]} of uid ${user.uid} cannot be ended`)
    // As that user, to all that it may signal: one step of the system, in which none of them can start another, and
    // which can reach no one else's.
    await runAs(user, 'kill -9 -1', [], END_MS).catch(() => killEach(left))
    await sleep(LOOK_MS)
  }
}

/** Where there are so many that no further one can be started, or where they do not let one work. */
function killEach(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}
