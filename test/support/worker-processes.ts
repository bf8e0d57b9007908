/** The processes of a hub with `WORKERS`, as the machine and as `/metrics` show them. */
import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'

/** The pids of those that serve, the oldest first; `supervisor` is the one that was started. */
export function workersOf(supervisor: number | undefined): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' })
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/))
  return rows.filter(([, parent]) => Number(parent) === supervisor).map(([pid]) => Number(pid))
}

/** The value of a series in the text of `/metrics`; `NaN` where it is not there. */
export const seriesIn = (metrics: string, series: string): number =>
  Number(
    metrics
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length),
  )

/**
 * Resolves when that many serve. Each has a pool of at most ten connections, and the numbers are sums. `scrape` uses a
 * connection of its own each time.
 */
export async function untilServing(count: number, scrape: () => Promise<string>): Promise<void> {
  const most = 'hub_database_pool_connections{state="most"}'
  // As long as a test: each of them is a process that starts.
  await expect.poll(async () => seriesIn(await scrape(), most), { timeout: 300_000 }).toBe(10 * count)
}
