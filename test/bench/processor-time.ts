/** Processor time of processes, to the nanosecond, as the scheduler of Linux counts it. */
import { readdirSync, readFileSync } from 'node:fs'

/** Of each thread that lives; one that ended between two looks is left out of both. */
type Times = ReadonlyMap<string, number>

/** Milliseconds since `before` that these threads had. */
export function spentMs(before: Times, after: Times): number {
  let spent = 0
  for (const [thread, time] of after) spent += time - (before.get(thread) ?? 0)
  return spent / 1e6
}

/** The threads of a process. */
export function threadTimes(pid: number): Times {
  return timesOf(entries(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`))
}

/** The threads of a process, and of those that it started. */
export function groupTimes(pid: number): Times {
  const children = entries(`/proc/${pid}/task/${pid}`, 'children').map(Number)
  return new Map([pid, ...children].flatMap((each) => [...threadTimes(each)]))
}

/** The server processes of a PostgreSQL, one for each connection and some of its own. */
export function databaseTimes(postmaster: number): Times {
  const children = entries(`/proc/${postmaster}/task/${postmaster}`, 'children').map((pid) => `/proc/${pid}`)
  return timesOf([`/proc/${postmaster}`, ...children])
}

function timesOf(places: readonly string[]): Times {
  const times = new Map<string, number>()
  for (const place of places) {
    const text = readText(`${place}/schedstat`)
    if (text !== null) times.set(place, Number(text.split(' ')[0]))
  }
  return times
}

const entries = (folder: string, list?: string): string[] =>
  list ? (readText(`${folder}/${list}`) ?? '').split(' ').filter(Boolean) : readdirSync(folder)

/** Null where the process has ended. */
function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
