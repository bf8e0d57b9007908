/** Values of event files that are too long for a line of media, or are none that JSON has. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { maskedCrc } from '../../tensorboard/src/crc32c.ts'
import { eventFile } from '../src/sources/event-file.ts'
import { openSpool } from '../src/spool.ts'
import { trackFiles } from '../src/track-folder.ts'

let base: string
const said: string[] = []
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'hub-track-'))
  await mkdir(trackFiles(base).dir)
  said.length = 0
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function varint(value: number): Buffer {
  const bytes = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0))
    if (rest < 128) return Buffer.from(bytes)
  }
}
/** A field of Protocol Buffers that has a length. */
function field(number: number, ...parts: (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)))
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
}
const doubles = (values: readonly number[]) => Buffer.from(new Float64Array(values).buffer)
const number = (place: number, value: number) => Buffer.concat([varint(place * 8 + 1), doubles([value])])

/** A record of an event file with one value of step 0. */
function record(tag: string, ...value: Buffer[]): Buffer {
  const data = field(5, field(1, field(1, tag), ...value))
  const length = Buffer.alloc(8)
  length.writeUInt32LE(data.length)
  const crc = (bytes: Buffer) => Buffer.from(new Uint32Array([maskedCrc(bytes)]).buffer)
  return Buffer.concat([length, crc(length), data, crc(data)])
}
const histogram = (tag: string, limits: readonly number[], counts: readonly number[]) =>
  record(tag, field(5, number(1, -1), number(2, limits.length), field(6, doubles(limits)), field(7, doubles(counts))))

async function mediaOf(...records: Buffer[]): Promise<Record<string, unknown>[]> {
  const file = join(base, 'events.out.tfevents.1')
  writeFileSync(file, Buffer.concat(records))
  const files = trackFiles(base)
  const spool = openSpool(files.spool)
  await eventFile({ file, run: '' }, 0, { files, spool, logLine: (line) => said.push(line) }).poll(true)
  spool.close()
  const lines = readFileSync(files.media, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

it('a histogram that is too long has neighbors joined, and loses no count', async () => {
  const limits = Array.from({ length: 5001 }, (_, place) => place + 1 / 3)
  const [entry] = await mediaOf(
    histogram(
      'wide',
      limits,
      limits.map((_, place) => (place % 3) + 1),
    ),
  )
  const { edges, counts } = (entry ?? { value: {} }).value as { edges: number[]; counts: number[] }
  expect([edges.length, counts.length]).toEqual([2502, 2501])
  expect([edges[0], edges[1], edges.at(-1)]).toEqual([-1, 1 + 1 / 3, 5001])
  expect([counts[0], counts.at(-1), counts.reduce((sum, count) => sum + count)]).toEqual([3, 3, 10_002])
})

it('a histogram of more bins than a call has arguments is kept', async () => {
  const limits = Array.from({ length: 150_000 }, (_, place) => place)
  const ones = limits.map(() => 1)
  const [entry] = await mediaOf(histogram('widest', limits, ones))
  const { counts } = (entry ?? { value: {} }).value as { counts: number[] }
  expect(counts.reduce((sum, count) => sum + count)).toBe(150_000)
})

it('a text that is too long is a file', async () => {
  const text = 'ä'.repeat(40_000)
  const plugin = field(9, field(1, field(1, 'text')))
  const [entry] = await mediaOf(record('log', plugin, field(8, varint(8), varint(7), field(8, text))))
  expect(entry).toMatchObject({ key: 'log', step: 0, index: 0, kind: 'text' })
  expect(readFileSync(join(trackFiles(base).dir, String(entry?.path)), 'utf8')).toBe(text)
})

it('a histogram with an edge that is not a number is left out and said once; the others are there', async () => {
  const broken = histogram('weights', [Number.NaN, 1], [1, 2])
  const found = await mediaOf(broken, broken, histogram('bias', [0, 1], [0, 2]), histogram('empty', [1], [0]))
  expect(found).toMatchObject([{ key: 'bias', value: { edges: [-1, 2], counts: [2] } }])
  expect(said).toEqual([
    `${join(base, 'events.out.tfevents.1')}: a histogram weights with an edge that is not a number is left out`,
  ])
})
