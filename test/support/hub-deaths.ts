/** The ways in which a hub dies under its requests. */
import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import type { Db } from '../../src/store/db.ts'
import { kill } from './killable-hub.ts'
import { untilServing, workersOf } from './worker-processes.ts'

interface Death {
  readonly title: string
  /** Of the hub that dies. */
  readonly settings: Readonly<Record<string, string>>
  /** A part of the rounds of a test: those of a single process are the ones that vary most. */
  readonly part: number
  /** How many processes that serve die. */
  readonly processes: number
  /** Resolves when what dies is gone. */
  readonly kill: (hub: ChildProcess) => Promise<void>
}

const two = { WORKERS: '2' }

export const deaths: readonly Death[] = [
  { title: 'a hub', settings: {}, part: 1, processes: 1, kill },
  { title: 'one process of two', settings: two, part: 0.33, processes: 1, kill: killOne },
  { title: 'the process that keeps two', settings: two, part: 0.33, processes: 2, kill: killKeeper },
]

/**
 * Resolves when what dies is gone, for the database too, which hears of it a little later: until then its claims are
 * those of a hub that is there. A process of several is replaced meanwhile.
 */
export async function die(death: Death, hub: ChildProcess, db: Db): Promise<void> {
  const earlier = await listeners(db)
  await death.kill(hub)
  const left = async () => (await listeners(db)).filter((pid) => earlier.includes(pid)).length
  await expect.poll(left).toBe(earlier.length - death.processes)
}

/** The server process of each hub's connection for changes, which also says that it is there. */
async function listeners(db: Db): Promise<number[]> {
  const text = `select pid from pg_stat_activity where application_name = 'hub-events' and datname = current_database()`
  return (await db.query<{ pid: number }>({ name: '', text }, [])).map(({ pid }) => pid)
}

/** A connection of its own: one that is kept would ask the same process each time. */
const scrapeOf = (url: string) => (): Promise<string> =>
  fetch(`${url}/metrics`, { headers: { connection: 'close' } }).then(
    (answer) => answer.text(),
    () => '',
  )

/** Resolves when all processes of a hub with these settings serve. */
export const untilAllServe = (url: string, settings: Readonly<Record<string, string>>): Promise<void> =>
  untilServing(Number(settings.WORKERS ?? 1), scrapeOf(url))

async function killOne(hub: ChildProcess): Promise<void> {
  const serving = workersOf(hub.pid)
  const one = serving[Math.floor(Math.random() * serving.length)] ?? 0
  process.kill(one, 'SIGKILL')
  await expect.poll(() => isRunning(one)).toBe(false)
}

/** The others end by themselves, without a signal. */
async function killKeeper(hub: ChildProcess): Promise<void> {
  const serving = workersOf(hub.pid)
  const gone = once(hub, 'exit')
  hub.kill('SIGKILL')
  await gone
  await expect.poll(() => serving.filter(isRunning)).toEqual([])
}

/** Whether a process is there, and not only waits for its parent to hear that it has ended. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout !== '' && !stdout.trim().startsWith('Z')
}
