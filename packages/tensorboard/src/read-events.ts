/** The events of a file that another process may still be writing. */
import { type FileHandle, open } from 'node:fs/promises'
import { maskedCrc } from './crc32c.ts'
import { type EventValue, valueIn } from './values.ts'
import { fieldsOf, signed } from './wire.ts'

export interface EventRecord {
  /** Behind the record: where to read on. */
  readonly offset: number
  /** In seconds since 1970. */
  readonly wallTime: number
  readonly step: number | bigint
  readonly values: readonly EventValue[]
  /** The writer restarted. */
  readonly isStart: boolean
  /** Why the record has no values. */
  readonly fault: string | null
  /** Nothing behind this record can be read. */
  readonly isEnd: boolean
}

export interface ReadOptions {
  /** The plugin of each tag, filled here. Pass the one of earlier reads of this file. */
  readonly plugins?: Map<string, string>
}

/** Length and its checksum. */
const HEAD = 12
const CHECKSUM = 4
/** Bytes that are read at a time. */
const WINDOW = 256 * 1024
const MAX_RECORD = 64 * 1024 * 1024

/** The complete records behind `offset`. Ends where the file does, or in front of a record that is not complete yet. */
export async function* readEvents(
  file: string,
  offset = 0,
  { plugins = new Map() }: ReadOptions = {},
): AsyncGenerator<EventRecord> {
  const handle = await open(file, 'r')
  try {
    const read = windowOver(handle)
    for (let at = offset; ; ) {
      const head = await read(at, HEAD)
      if (head.length < HEAD) return
      if (maskedCrc(head.subarray(0, 8)) !== head.readUInt32LE(8)) {
        yield faulty(at, `the length of the record at byte ${at} is corrupt: nothing behind it can be read`, true)
        return
      }
      const length = Number(head.readBigUInt64LE(0))
      const end = at + HEAD + length + CHECKSUM
      if (length > MAX_RECORD) {
        if (!(end <= (await handle.stat()).size)) return
        yield faulty(end, `the record at byte ${at} has ${length} bytes, over 64 MiB, and is left out`)
      } else {
        const body = await read(at + HEAD, length + CHECKSUM)
        if (body.length < length + CHECKSUM) return
        yield recordIn(body, { at, end, plugins })
      }
      at = end
    }
  } finally {
    await handle.close()
  }
}

const faulty = (offset: number, fault: string, isEnd = false): EventRecord => ({
  offset,
  wallTime: 0,
  step: 0,
  values: [],
  isStart: false,
  fault,
  isEnd,
})

interface Place {
  readonly at: number
  readonly end: number
  readonly plugins: Map<string, string>
}

function recordIn(body: Buffer, { at, end, plugins }: Place): EventRecord {
  const data = body.subarray(0, -CHECKSUM)
  if (maskedCrc(data) !== body.readUInt32LE(data.length))
    return faulty(end, `the record at byte ${at} is corrupt and is left out`)
  try {
    return { ...eventIn(data, plugins), offset: end }
  } catch (error) {
    return faulty(end, `the record at byte ${at} is not an event and is left out: ${(error as Error).message}`)
  }
}

function eventIn(data: Buffer, plugins: Map<string, string>): EventRecord {
  const values: EventValue[] = []
  let [wallTime, isStart] = [0, false]
  let step: number | bigint = 0
  for (const { number, varint, bytes } of fieldsOf(data)) {
    if (number === 1) wallTime = bytes.readDoubleLE(0)
    else if (number === 2) step = signed(varint)
    else if (number === 5)
      for (const field of fieldsOf(bytes)) {
        const value = field.number === 1 ? valueIn(field.bytes, plugins) : null
        if (value !== null) values.push(value)
      }
    else if (number === 7) for (const field of fieldsOf(bytes)) isStart ||= field.number === 1 && field.varint === 1n
  }
  if (Number.isNaN(wallTime)) throw new Error('its time is not a number')
  return { offset: 0, wallTime, step, values, isStart, fault: null, isEnd: false }
}

/** Reads parts of the file, and many small ones at once. Fewer bytes where the file ends. */
function windowOver(handle: FileHandle): (at: number, length: number) => Promise<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  let from = 0
  return async (at, length) => {
    if (at < from || at + length > from + held.length) {
      const bytes = Buffer.alloc(Math.max(length, WINDOW))
      let filled = 0
      while (filled < bytes.length) {
        const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, at + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      from = at
      held = bytes.subarray(0, filled)
    }
    return held.subarray(at - from, at - from + length)
  }
}
