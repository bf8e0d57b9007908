/** What the measurements share: files, clocks, and the memory of a process. */
import { randomBytes } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

export const MIB = 1024 * 1024
const SAMPLE_MS = 50

/** Wall time. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return (performance.now() - begin) / 1000
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Mebibytes resident of a process, as the kernel counts them. */
export async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

/** The highest of them until `signal` aborts, sampled every 50 ms. */
export async function watchPeak(pid: number, signal: AbortSignal): Promise<number> {
  let peak = 0
  do {
    peak = Math.max(peak, await residentMib(pid))
    await pause(SAMPLE_MS)
  } while (!signal.aborted)
  return peak
}

/** A file of bytes that no two of its mebibytes, and no two calls, have in common; flushed. */
export async function makeFile(file: string, sizeBytes: number): Promise<void> {
  const handle = await open(file, 'w')
  const block = randomBytes(MIB)
  for (let written = 0; written < sizeBytes; written += MIB) {
    block.writeUInt32LE(written / MIB)
    await handle.write(block, 0, Math.min(MIB, sizeBytes - written))
  }
  await handle.sync()
  await handle.close()
}

/** A line for each name: median, rate and every time. */
export function reportTimes(store: string, times: Readonly<Record<string, number[]>>, sizeBytes: number): void {
  for (const [name, all] of Object.entries(times)) {
    const middle = median(all)
    const rate = (sizeBytes / MIB / middle).toFixed(0)
    const every = all.map((time) => time.toFixed(2)).join(', ')
    console.log(`| ${store} | ${name} | ${middle.toFixed(2)} s | ${rate} MiB/s | ${every} |`)
  }
}
