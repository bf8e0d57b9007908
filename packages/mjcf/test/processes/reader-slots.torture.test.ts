// @module-tag processes
/** Who waits for a process that reads models, and for how long. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { MAX_WAITING_OF_ASKER } from '../../src/processes/limits.ts'
import { type ReaderSlots, readerSlots } from '../../src/processes/reader-slots.ts'

let slots: ReaderSlots
let begun: string[] = []
/** Ends the reading that is in progress. */
let end = () => {}

beforeEach(() => {
  begun = []
  slots = readerSlots([join(import.meta.dirname, 'support/stand-in-child.ts')], 1)
})
afterEach(() => slots.close())

const read = (asker: string, signal = new AbortController().signal) =>
  slots.use(asker, signal, () => {
    begun.push(asker)
    return new Promise<void>((resolve) => {
      end = resolve
    })
  })
const count = (of: number) => expect.poll(() => begun.length).toBe(of)

it('one asker with many readings delays another by one of them', async () => {
  const readings = ['ann', 'ann', 'ann', 'ann', 'bob'].map((asker) => read(asker))
  for (let at = 1; at <= readings.length; at += 1) {
    await count(at)
    end()
  }
  await Promise.all(readings)
  expect(begun).toEqual(['ann', 'ann', 'bob', 'ann', 'ann'])
})

it('an asker with too many gets 503, and others do not', async () => {
  const readings = Array.from({ length: MAX_WAITING_OF_ASKER + 1 }, () => read('ann'))
  await expect(read('ann')).rejects.toMatchObject({ type: 'unavailable' })
  const other = read('bob')
  const gone = new AbortController()
  const left = read('cat', gone.signal)
  gone.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  for (let at = 1; at <= readings.length + 1; at += 1) {
    await count(at)
    end()
  }
  await Promise.all([...readings, other])
})

it('a process is told where compiled code is kept, and nothing else of its parent', async () => {
  const program = join(inject('runDir'), 'tells-its-environment.mjs')
  writeFileSync(program, 'process.send(process.env)')
  const telling = readerSlots([program], 1)
  try {
    const [environment] = await telling.use('ann', new AbortController().signal, (reader) => once(reader, 'message'))
    expect(environment).toEqual({ NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE })
  } finally {
    telling.close()
  }
})
