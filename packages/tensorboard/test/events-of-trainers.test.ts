/**
 * Event files of TensorBoard's own writer and of tensorboardX, as `write-events.py` made them, next to what TensorBoard's
 * own reader finds in them: value by value the same.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type EventValue, readEvents } from '../src/index.ts'

interface Found {
  readonly step: number
  readonly tag: string
  readonly plugin: string
  readonly shape: readonly number[]
  /** A string is Base64. */
  readonly values: readonly (number | string)[]
}
interface Written {
  readonly run: string
  readonly bytes: string
  readonly events: readonly Found[]
}
const written = JSON.parse(
  readFileSync(join(import.meta.dirname, 'events-of-trainers.json'), 'utf8'),
) as readonly Written[]

async function readAll(bytes: string): Promise<{ step: number | bigint; value: EventValue }[]> {
  const base = mkdtempSync(join(tmpdir(), 'hub-tensorboard-'))
  try {
    const file = join(base, 'events.out.tfevents.1')
    writeFileSync(file, Buffer.from(bytes, 'base64'))
    const found: { step: number | bigint; value: EventValue }[] = []
    for await (const { step, values, fault } of readEvents(file)) {
      expect(fault).toBeNull()
      found.push(...values.map((value) => ({ step, value })))
    }
    return found
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64')

/** As TensorBoard has it: rows of left edge, right edge and count; float32 where the file had doubles of TensorFlow 1. */
function asTensorBoard(value: EventValue): Pick<Found, 'plugin' | 'values'> {
  switch (value.kind) {
    case 'scalar':
      return { plugin: 'scalars', values: [Math.fround(Number(value.value))] }
    case 'histogram': {
      const { edges, counts } = value.value
      return {
        plugin: 'histograms',
        values: counts.flatMap((count, at) => [edges[at] ?? 0, edges[at + 1] ?? 0, count]),
      }
    }
    case 'image': {
      const [first] = value.value
      const size = [first?.width, first?.height].map((side) => base64(String(side)))
      return { plugin: 'images', values: [...size, ...value.value.map(({ bytes }) => base64(bytes))] }
    }
    case 'audio':
      return { plugin: 'audio', values: value.value.map(({ bytes }) => base64(bytes)) }
    case 'text':
      return { plugin: 'text', values: value.value.map(base64) }
    default:
      return { plugin: value.kind, values: [] }
  }
}

const singles = (values: Found['values']) =>
  values.map((value) => (typeof value === 'number' ? Math.fround(value) : value))

it.each(written)('of $run: step, tag, kind and every value are those of TensorBoard', async ({ bytes, events }) => {
  const ours = (await readAll(bytes)).map(({ step, value }) => ({ step, tag: value.tag, ...asTensorBoard(value) }))
  const theirs = events.map(({ step, tag, plugin, values }) => ({ step, tag, plugin, values }))
  const rounded = <Row extends { values: Found['values'] }>(rows: Row[]) =>
    rows.map((row) => ({ ...row, values: singles(row.values) }))
  expect(rounded(ours)).toEqual(rounded(theirs))
  expect(ours.length).toBeGreaterThan(0)
})

it('settings of both writers have their types', async () => {
  const settings = await Promise.all(
    ['tb', 'x/trial'].map(async (name) => {
      const found = await readAll(written.find(({ run }) => run === name)?.bytes ?? '')
      return found.flatMap(({ value }) => (value.kind === 'hparams' ? [value.value] : []))
    }),
  )
  expect(settings).toEqual([
    [{}, { lr: 0.5, units: 64, optimizer: 'sgd', nesterov: false }],
    [{}, { lr: 0.001, steps: 100, amp: true, name: 'wide' }, {}],
  ])
})

it('a double is the double, and a table of text has its shape', async () => {
  const found = (await readAll(written.find(({ run }) => run === 'tb')?.bytes ?? '')).map(({ value }) => value)
  expect(found.find(({ tag }) => tag === 'exact')).toEqual({ tag: 'exact', kind: 'scalar', value: 0.1 })
  expect(found.find(({ tag }) => tag === 'table')).toEqual({
    tag: 'table',
    kind: 'text',
    value: ['a', 'b', 'c', 'd ä'],
    shape: [2, 2],
  })
})
