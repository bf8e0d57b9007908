/** What the machine has done so far, as its kernel counts it. Files of Linux; elsewhere what Node knows. */
import { readFile, statfs } from 'node:fs/promises'
import { cpus, freemem, totalmem } from 'node:os'
import { nullIfMissing } from '@hub/runner/worker/growing-file'

/** Counters since the start of the machine; null where it does not tell. */
export interface Counters {
  /** Any unit of time, over all processors. */
  readonly busy: number
  readonly total: number
  readonly diskReadBytes: number | null
  readonly diskWrittenBytes: number | null
  readonly networkInBytes: number | null
  readonly networkOutBytes: number | null
}

const SECTOR = 512
const isLinux = process.platform === 'linux'

const textOf = async (file: string) => (await readFile(file, 'utf8').catch(nullIfMissing)) ?? ''

/** The counters now. */
export async function readCounters(): Promise<Counters> {
  const [disks, network] = isLinux ? await Promise.all([textOf('/proc/diskstats'), textOf('/proc/net/dev')]) : ['', '']
  return { ...processorTimes(), ...disksIn(disks), ...networkIn(network) }
}

function processorTimes(): { busy: number; total: number } {
  let [busy, total] = [0, 0]
  for (const { times } of cpus()) {
    const all = times.user + times.nice + times.sys + times.irq + times.idle
    total += all
    busy += all - times.idle
  }
  return { busy, total }
}

/** Of whole disks: what is written to a partition is written to its disk too. */
export function disksIn(text: string): Pick<Counters, 'diskReadBytes' | 'diskWrittenBytes'> {
  const rows = text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , name]) => /^(?:sd[a-z]+|vd[a-z]+|xvd[a-z]+|hd[a-z]+|nvme\d+n\d+|mmcblk\d+)$/.test(name ?? ''))
  if (rows.length === 0) return { diskReadBytes: null, diskWrittenBytes: null }
  const sum = (place: number) => rows.reduce((bytes, row) => bytes + Number(row[place]) * SECTOR, 0)
  return { diskReadBytes: sum(5), diskWrittenBytes: sum(9) }
}

/** Of all interfaces but the one within the machine. */
export function networkIn(text: string): Pick<Counters, 'networkInBytes' | 'networkOutBytes'> {
  const rows = text.split('\n').flatMap((line) => {
    const [, name, counts] = /^\s*(\S+):\s*(.*)$/.exec(line) ?? []
    return name === undefined || counts === undefined || name === 'lo' ? [] : [counts.split(/\s+/).map(Number)]
  })
  if (rows.length === 0) return { networkInBytes: null, networkOutBytes: null }
  const sum = (place: number) => rows.reduce((bytes, row) => bytes + (row[place] ?? 0), 0)
  return { networkInBytes: sum(0), networkOutBytes: sum(8) }
}

/** Bytes of memory that are in use, and that there are. */
export async function readMemory(): Promise<{ used: number; total: number }> {
  const total = totalmem()
  const [, available] = isLinux ? (/^MemAvailable:\s+(\d+) kB$/m.exec(await textOf('/proc/meminfo')) ?? []) : []
  return { used: total - (available === undefined ? freemem() : Number(available) * 1024), total }
}

/** Share of the disk of a folder that is used, in percent; null if it cannot be read. */
export async function readDiskPercent(folder: string): Promise<number | null> {
  const found = await statfs(folder).catch(() => null)
  if (found === null || found.blocks === 0) return null
  // As `df`: of what this user could use.
  const used = found.blocks - found.bfree
  return (used / (used + found.bavail)) * 100
}
