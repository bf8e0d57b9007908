/** What the machine does while the command runs, as lines of metrics below `system/`. */
import type { Spool } from '../spool.ts'
import { gpuReader } from '../system/gpu-readings.ts'
import { type Counters, readCounters, readDiskPercent, readMemory } from '../system/machine-readings.ts'
import type { Source } from './source.ts'

interface SystemOptions {
  readonly spool: Spool
  /** The folder whose disk counts. */
  readonly folder: string
  /** Of the command: where its `nvidia-smi` is, and which GPUs it sees. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly everyMs: number
  readonly now?: () => number
}

const NAME = 'system'

/** One line every `everyMs`, and the first after a tenth of that, so that a short run has one too. */
export function systemSource({ spool, folder, env, everyMs, now = () => performance.now() }: SystemOptions): Source {
  const readGpus = gpuReader(env)
  let before: { readonly counters: Counters; readonly at: number } | null = null
  let dueAt = 0

  return {
    async poll(isFinal) {
      if (isFinal) return
      const at = now()
      if (before === null) {
        before = { counters: await readCounters(), at }
        dueAt = at + everyMs / 10
        return
      }
      if (at < dueAt) return
      const [counters, memory, disk, gpus] = await Promise.all([
        readCounters(),
        readMemory(),
        readDiskPercent(folder),
        readGpus(),
      ])
      const values: Record<string, number | null> = {
        ...ratesBetween(before.counters, counters, (at - before.at) / 1000),
        memory_gb: memory.used / 1e9,
        memory_percent: (memory.used / memory.total) * 100,
        disk_percent: disk,
      }
      for (const gpu of gpus)
        for (const [name, value] of Object.entries(gpu.values)) values[`gpu.${gpu.index}/${name}`] = value
      before = { counters, at }
      dueAt = at + everyMs
      const told = Object.entries(values).filter((entry): entry is [string, number] => entry[1] !== null)
      const line = Object.fromEntries(told.map(([name, value]) => [`system/${name}`, rounded(value)]))
      // Its own count is the offset: nothing is read again after a kill.
      spool.append(NAME, [{ to: spool.offsetOf(NAME) + 1, text: JSON.stringify(line) }])
    },
  }
}

/** What was done a second, from two readings. */
export function ratesBetween(before: Counters, after: Counters, seconds: number): Record<string, number | null> {
  const rate = (name: Exclude<keyof Counters, 'busy' | 'total'>) => {
    const [from, to] = [before[name], after[name]]
    return from === null || to === null || to < from ? null : (to - from) / 1e6 / seconds
  }
  const total = after.total - before.total
  return {
    cpu_percent: total > 0 ? ((after.busy - before.busy) / total) * 100 : null,
    disk_read_mb_s: rate('diskReadBytes'),
    disk_write_mb_s: rate('diskWrittenBytes'),
    network_in_mb_s: rate('networkInBytes'),
    network_out_mb_s: rate('networkOutBytes'),
  }
}

const rounded = (value: number) => Number(value.toPrecision(5))
