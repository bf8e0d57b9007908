/** A file system of its own for the disk store of a lab, which only root can mount: it can be full or read-only while the rest of the machine is not. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Where a lab's hubs keep their objects. */
export const storeOf = (dataDir: string) => join(dataDir, 'objects')

const BUSY_MS = 20_000

/** What this machine lacks for it; null where nothing. */
export const mountNeed =
  process.getuid?.() === 0 && process.platform === 'linux' ? null : 'root on Linux, which may mount'

/** Mounts `mib` mebibytes of memory as the store. */
export function mountStore(dataDir: string, mib: number): void {
  mkdirSync(storeOf(dataDir), { mode: 0o700 })
  mount('-t', 'tmpfs', '-o', `size=${mib}m,mode=0700`, 'tmpfs', storeOf(dataDir))
}

export function unmountStore(dataDir: string): void {
  spawnSync('umount', ['-l', storeOf(dataDir)])
}

/** Waits until no file is open for writing, as the kernel wants it. */
export async function makeReadOnly(dataDir: string): Promise<void> {
  for (const until = performance.now() + BUSY_MS; ; await delay(5)) {
    try {
      return mount('-o', 'remount,ro', storeOf(dataDir))
    } catch (error) {
      if (performance.now() > until) throw error
    }
  }
}

export const makeWritable = (dataDir: string) => mount('-o', 'remount,rw', storeOf(dataDir))

const fillerOf = (dataDir: string) => join(storeOf(dataDir), 'filler')

/** To the last byte. */
export function fillStore(dataDir: string): void {
  const file = openSync(fillerOf(dataDir), 'a')
  for (let sizeBytes = 1 << 20; sizeBytes >= 1; ) {
    try {
      if (writeSync(file, Buffer.alloc(sizeBytes)) < sizeBytes) sizeBytes >>= 1
    } catch {
      sizeBytes >>= 1
    }
  }
  closeSync(file)
}

export const emptyStore = (dataDir: string) => rmSync(fillerOf(dataDir))

function mount(...args: string[]): void {
  const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`mount ${args.join(' ')}: ${stderr}`)
}
