/** What a hub's process holds: as the kernel counts it, as Node does, and how much its peers hold of it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** In mebibytes, where nothing else is said. */
export interface Sample {
  /** Minutes since the soak began. */
  readonly minute: number
  readonly rss: number
  /** Of `rss`: what no file backs, of which all that grows is a part. */
  readonly anonymous: number
  readonly heapTotal: number
  readonly heapUsed: number
  readonly external: number
  readonly arrayBuffers: number
  /** What keeps Node's event loop busy: sockets, timers, requests. */
  readonly handles: number
  readonly sockets: number
}

const MIB = 1024 * 1024

/** Of the process, with the newest line that its probe has written. */
export function sampleOf(pid: number, probeFile: string, minute: number): Sample {
  const line = readFileSync(probeFile, 'utf8').trimEnd().split('\n').at(-1) ?? ''
  const { rss, heapTotal, heapUsed, external, arrayBuffers, handles } = JSON.parse(line)
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  return {
    minute,
    rss: rss / MIB,
    anonymous: Number(/^Anonymous:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024,
    heapTotal: heapTotal / MIB,
    heapUsed: heapUsed / MIB,
    external: external / MIB,
    arrayBuffers: arrayBuffers / MIB,
    handles,
    sockets: socketsOf(pid),
  }
}

function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).filter((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`).startsWith('socket:')
    } catch {
      // It was closed meanwhile.
      return false
    }
  }).length
}
