/** An interruption costs a push at most the part that was on its way. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PART_BYTES } from '../src/upload-parts.ts'
import { type HubDouble, hubCommand, startHubDouble } from './hub-double.ts'

const SIZE = 6 * PART_BYTES + 12_345
/** Bytes that the system has taken from the client, before it learns that a part is there. */
const IN_BUFFERS = 2_000_000

let hub: HubDouble
let base: string

beforeEach(async () => {
  hub = await startHubDouble('asked')
  base = await mkdtemp(join(tmpdir(), 'hub-interrupted-'))
  await mkdir(join(base, 'robot'))
})
afterEach(async () => {
  await hub.close()
  await rm(base, { recursive: true, force: true })
})

/** `hub push`; killed once that many more bytes have arrived at the store, which takes no more until it has ended. */
async function push(signal: NodeJS.Signals | null, afterBytes: number) {
  const child = spawn(process.execPath, [hubCommand, 'push', join(base, 'robot'), 'o/s'], {
    env: { ...process.env, HUB_URL: hub.url, HUB_TOKEN: 't', XDG_CACHE_HOME: base, XDG_CONFIG_HOME: base },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  child.stderr.on('data', (chunk) => {
    text += String(chunk)
  })
  // Not its exit: what it said last may come after it.
  const ended = once(child, 'close')
  if (signal !== null) {
    const until = hub.received + afterBytes
    const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    hub.taken = () => {
      if (hub.received < until) return undefined
      reached.resolve()
      return goOn.promise
    }
    await Promise.race([reached.promise, ended])
    child.kill(signal)
    await ended
    hub.taken = () => undefined
    goOn.resolve()
    // What the system still holds of the connection that broke is not of the next push.
    for (let before = -1; before !== hub.received; await delay(200)) before = hub.received
  }
  const [code] = await ended
  return { code, text }
}

describe('a push', () => {
  it('that is killed and interrupted four times sends at most a part more each time', async () => {
    const bytes = randomBytes(SIZE)
    await writeFile(join(base, 'robot', 'large.bin'), bytes)
    for (const [index, part] of [0.4, 1.7, 0.9, 2.3].entries()) {
      const signal = index % 2 === 0 ? 'SIGKILL' : 'SIGINT'
      const { code, text } = await push(signal, Math.floor(part * PART_BYTES))
      if (signal === 'SIGKILL') continue
      expect(code).toBe(130)
      expect(text).toMatch(/hub: 0 of 1 file done \(0 B of 50\.3 MB\), and [\d.]+ MB of unfinished files are kept\n/)
    }
    expect(await push(null, 0)).toMatchObject({ code: 0 })
    expect(hub.files.get('large.bin')?.bytes.equals(bytes)).toBe(true)
    expect(hub.received).toBeGreaterThan(SIZE)
    expect(hub.received).toBeLessThanOrEqual(SIZE + 4 * (PART_BYTES + IN_BUFFERS))
  })
})
