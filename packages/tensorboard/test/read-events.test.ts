/** What TensorBoard writes is read value by value; what is not complete waits; what is corrupt is named. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EventRecord, readEvents } from '../src/index.ts'
import { written } from './written-by-tensorboard.ts'

let base: string
let file: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hub-tensorboard-'))
  file = join(base, 'events.out.tfevents.1')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

async function all(offset = 0, plugins = new Map<string, string>()): Promise<EventRecord[]> {
  const found: EventRecord[] = []
  for await (const record of readEvents(file, offset, { plugins })) found.push(record)
  return found
}

const bytes = (text: string) => Buffer.from(text)

describe('a file that TensorBoard wrote', () => {
  it('has the values that were logged, with step and time', async () => {
    writeFileSync(file, written)
    const [, old, today, settings, start, back] = await all()
    expect(old).toMatchObject({ step: 1, wallTime: 1700000001.5, fault: null })
    expect(old?.values).toEqual([
      { tag: 'loss', kind: 'scalar', value: 0.1 },
      { tag: 'weights', kind: 'histogram', value: { edges: [-1.5, -1, 0, 2.5], counts: [1, 2, 3] } },
      { tag: 'camera', kind: 'image', value: [{ bytes: bytes('PNG1'), width: 2, height: 3 }] },
      { tag: 'sound', kind: 'audio', value: [{ bytes: bytes('RIFF1') }] },
    ])
    expect(today?.values).toEqual([
      { tag: 'reward', kind: 'scalar', value: 3.4e-5 },
      { tag: 'spread', kind: 'histogram', value: { edges: [0, 1, 2], counts: [4, 5] } },
      { tag: 'note', kind: 'text', value: ['a ä', 'b'], shape: [2] },
      {
        tag: 'view',
        kind: 'image',
        value: ['PNG2', 'PNG3'].map((text) => ({ bytes: bytes(text), width: 4, height: 5 })),
      },
      { tag: 'voice', kind: 'audio', value: [{ bytes: bytes('RIFF2') }] },
    ])
    expect(settings?.values).toContainEqual(
      expect.objectContaining({ kind: 'hparams', value: { lr: 0.001, optimizer: 'adam', amp: true } }),
    )
    expect(start).toMatchObject({ isStart: true })
    expect(back).toMatchObject({ step: 2, values: [{ tag: 'reward', kind: 'scalar', value: 7 }] })
    expect(back?.offset).toBe(written.length)
  })

  it('is read on from any record as if it had been read at once, each value once, however it grows', async () => {
    writeFileSync(file, '')
    const plugins = new Map<string, string>()
    const found: EventRecord[] = []
    for (let at = 0; at < written.length; at += 37) {
      appendFileSync(file, written.subarray(at, at + 37))
      found.push(...(await all(found.at(-1)?.offset ?? 0, plugins)))
    }
    const whole = await all()
    expect(found).toEqual(whole)
    expect(whole).toHaveLength(6)
  })

  it('has one record less, and a fault that names its place, where a byte of its data is wrong', async () => {
    writeFileSync(file, written)
    const [first, second, ...rest] = await all()
    const broken = Buffer.from(written)
    const at = (first?.offset ?? 0) + 20
    broken[at] = (broken[at] ?? 0) ^ 1
    writeFileSync(file, broken)
    const [, fault, ...behind] = await all()
    expect(fault).toMatchObject({ values: [], offset: second?.offset, isEnd: false })
    expect(fault?.fault).toBe(`the record at byte ${first?.offset} is corrupt and is left out`)
    expect(behind).toEqual(rest)
  })

  it('ends where a length is wrong', async () => {
    const broken = Buffer.from(written)
    broken[0] = (broken[0] ?? 0) ^ 1
    writeFileSync(file, broken)
    expect(await all()).toMatchObject([{ offset: 0, isEnd: true, values: [] }])
  })
})
