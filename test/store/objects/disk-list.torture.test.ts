/** Lists of a disk store with many folders. */
import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type DiskStore, openDiskStore } from '../../../src/store/objects/disk.ts'
import { collect } from './opened-store.ts'

let dir: string
let store: DiskStore

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hub-list-'))
  store = await openDiskStore({ dir, signingKey: Buffer.alloc(32, 1), baseUrl: () => 'http://hub' })
})
afterEach(async () => {
  await store.close()
  await rm(dir, { recursive: true, force: true })
})

const put = (key: string) => store.put(key, Buffer.from('x'), { sizeBytes: 1 })
const keysOf = async (prefix: string) => (await collect(store.list(prefix))).map(({ key }) => key).toSorted()

const counted = new AsyncLocalStorage<object>()

/** How often this work asks the file system for something, which pieces of a folder's names are too. */
async function fileCalls(work: () => Promise<unknown>): Promise<number> {
  let calls = 0
  const mark = {}
  const hook = createHook({
    // Other work of this process has calls of its own.
    init: (_id, type) => {
      if (counted.getStore() === mark && (type === 'FSREQPROMISE' || type === 'FSREQCALLBACK')) calls += 1
    },
  })
  hook.enable()
  await counted.run(mark, work)
  hook.disable()
  return calls
}

it('looks at the folder of its prefix alone, however many stand beside it', async () => {
  await put('runs/run_a/logs/1')
  const alone = await fileCalls(() => keysOf('runs/run_a/'))
  for (let at = 0; at < 3000; at += 1) mkdirSync(join(dir, 'objects/runs', `run_b${at}`))
  expect(await fileCalls(() => keysOf('runs/run_a/'))).toBe(alone)
})

it('reads a large folder in pieces', async () => {
  mkdirSync(join(dir, 'objects/runs'))
  for (let at = 0; at < 3000; at += 1) mkdirSync(join(dir, 'objects/runs', `run_b${at}`))
  // No folder matches, so that all calls are for the names.
  expect(await fileCalls(() => keysOf('runs/run_c'))).toBeGreaterThan(5)
})

it('finds what a prefix names in part, and nothing by a prefix that is no key', async () => {
  await put('runs/run_a/logs/1')
  await put('runs/run_a/logs/2')
  await put('runs/run_b/logs/1')
  await put('runs/run_a')
  expect(await keysOf('runs/run_a')).toEqual(['runs/run_a', 'runs/run_a/logs/1', 'runs/run_a/logs/2'])
  expect(await keysOf('runs/run_a/')).toEqual(['runs/run_a/logs/1', 'runs/run_a/logs/2'])
  expect(await keysOf('runs/run_a/logs/2')).toEqual(['runs/run_a/logs/2'])
  expect(await keysOf('ru')).toHaveLength(4)
  for (const prefix of ['../', 'runs/../runs/', '/runs/', 'runs//', 'none/']) expect(await keysOf(prefix)).toEqual([])
})
