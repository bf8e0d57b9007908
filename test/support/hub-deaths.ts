/** The ways in which a hub dies under its requests. */
import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import { kill } from './killable-hub.ts'
import { untilServing, workersOf } from './worker-processes.ts'

export interface Death {
  readonly title: string
  /** Of the hub that dies. */
  readonly settings: Readonly<Record<string, string>>
  /** A part of the rounds of a test: those of a single process are the ones that vary most. */
  readonly part: number
  /** Resolves when what dies is gone; the hub itself is back at once if it replaces a process. */
  die(hub: ChildProcess): Promise<void>
}

const two = { WORKERS: '2' }

export const deaths: readonly Death[] = [
  { title: 'a hub', settings: {}, part: 1, die: kill },
  { title: 'one process of two', settings: two, part: 0.34, die: killOne },
  { title: 'the process that keeps two', settings: two, part: 0.34, die: killKeeper },
]

/** A connection of its own: one that is kept would ask the same process each time. */
export const scrapeOf = (url: string) => (): Promise<string> =>
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
  await expect.poll(() => isRunning(one), soon).toBe(false)
}

/** The others end by themselves, without a signal. */
async function killKeeper(hub: ChildProcess): Promise<void> {
  const serving = workersOf(hub.pid)
  const gone = once(hub, 'exit')
  hub.kill('SIGKILL')
  await gone
  await expect.poll(() => serving.filter(isRunning), soon).toEqual([])
}

const soon = { timeout: 60_000 }

/** Whether a process is there, and not only waits for its parent to hear that it has ended. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout !== '' && !stdout.trim().startsWith('Z')
}
