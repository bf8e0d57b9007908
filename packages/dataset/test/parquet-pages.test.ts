/** Pages that claim more than they have, and columns that lie over one another: refused before they are decoded. */
import { type FileMetaData, parquetMetadata } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js'
import { describe, expect, it } from 'vitest'
import { openParquet } from '../src/parquet.ts'
import { pageGuard } from '../src/parquet-pages.ts'
import { unpackZstd } from '../src/zstd.ts'

const ROWS = 300_000
const fileOf = (bytes: Uint8Array) => ({
  ...{ path: 'a.parquet', sizeBytes: bytes.length },
  read: (start: number, end: number) => Promise.resolve(new Uint8Array(bytes.subarray(start, end)).buffer),
})
/** A column of two values, whose pages are runs. */
const made = (codec: 'UNCOMPRESSED' | 'SNAPPY', count = ROWS) =>
  Buffer.from(
    parquetWriteBuffer({
      columnData: [{ name: 'x', data: Array.from({ length: count }, (_, at) => (at < 2 ? at : 7)), type: 'INT32' }],
      codec,
      rowGroupSize: ROWS,
    }),
  )
const read = async (bytes: Uint8Array) => (await openParquet(fileOf(bytes))).read(['x'], 0, ROWS)

describe('a table whose pages are runs', () => {
  it.each(['UNCOMPRESSED', 'SNAPPY'] as const)('is read, %s', async (codec) => {
    const rows = await read(made(codec))
    expect([rows.length, rows[1], rows.at(-1)]).toEqual([ROWS, { x: 1 }, { x: 7 }])
  })

  it.each(['UNCOMPRESSED', 'SNAPPY'] as const)('is refused where one is longer than its page, %s', async (codec) => {
    const bytes = made(codec)
    // 262,143 equal levels, in three bytes: the same bytes may say a million.
    const levels = Buffer.from('feff1f01', 'hex')
    const at = bytes.indexOf(levels)
    expect(at).toBeGreaterThan(0)
    Buffer.from('feff7f01', 'hex').copy(bytes, at)
    await expect(read(bytes)).rejects.toThrow('a page of 262143 values has a run of 1048575.')
  })
})

describe('pages as their headers say them', () => {
  const DATA = 0
  const [PLAIN, RLE, DICTIONARY] = [0, 3, 8]
  const page = (body: Buffer, values: number, encoding: number, unpacked = body.length) => {
    const writer = new ByteWriter()
    serializeTCompactProtocol(writer, {
      ...{ field_1: DATA, field_2: unpacked, field_3: body.length },
      field_5: { field_1: values, field_2: encoding, field_3: RLE, field_4: RLE },
    })
    return Buffer.concat([new Uint8Array(writer.getBuffer()), body])
  }
  const metadataOf = (bytes: Buffer, columns = 1, change: object = {}) => {
    const meta = { type: 'INT32', codec: 'UNCOMPRESSED', path_in_schema: ['x'], data_page_offset: 0n, ...change }
    return {
      schema: [
        { name: 'root', num_children: 1 },
        { name: 'x', type: 'INT32', repetition_type: 'OPTIONAL' },
      ],
      row_groups: Array.from({ length: columns }, () => ({
        columns: [{ meta_data: { ...meta, total_compressed_size: BigInt(bytes.length) } }],
      })),
    } as unknown as FileMetaData
  }
  const check = (bytes: Buffer, columns?: number, change?: object) =>
    pageGuard(metadataOf(bytes, columns, change), { ZSTD: unpackZstd })(0, bytes)
  /** Their length, and runs. */
  const levels = (hex: string) => {
    const runs = Buffer.from(hex, 'hex')
    const length = Buffer.alloc(4)
    length.writeUInt32LE(runs.length)
    return Buffer.concat([length, runs])
  }
  const dictionary = (hex: string) => Buffer.concat([levels('0a01'), Buffer.from(hex, 'hex')])

  it('are taken as writers write them: packed values come in eights', () => {
    // Five levels in a run; five values of one bit in a packed group.
    check(page(dictionary('010315'), 5, DICTIONARY))
    check(page(dictionary('010a01'), 5, DICTIONARY))
    check(Buffer.concat([page(dictionary('010315'), 5, DICTIONARY), page(dictionary('010a01'), 5, DICTIONARY)]))
  })

  it.each([
    ['levels', page(levels('fcffffff0701'), 5, PLAIN), 'a page of 5 values has a run of 1073741822.'],
    ['values', page(dictionary('01fcffffff0701'), 5, DICTIONARY), 'a page of 5 values has a run of 1073741822.'],
    ['packed values of no bits', page(dictionary('00ffffffff07'), 5, DICTIONARY), 'a run of 8589934584.'],
    ['less than none', page(dictionary('01feffffff0f'), 5, DICTIONARY), 'a page of 5 values has a run of'],
    ['values in a page', page(levels('0a01'), 2 ** 31 - 1, PLAIN), 'its pages claim more than 134217728 values.'],
    ['less than no values', page(levels('0a01'), -5, PLAIN), 'a page does not say how long it is.'],
    ['bytes', page(levels('0a01'), 5, PLAIN, 2 ** 31 - 1), 'its pages unpack to more than 1073741824 bytes.'],
  ])('are refused where they claim many %s', (_what, bytes, words) => {
    expect(() => check(bytes)).toThrow(words)
  })

  it('are refused together where each claims a part of it', () => {
    const one = page(dictionary('00'), 2 ** 24, DICTIONARY)
    check(Buffer.concat(Array.from({ length: 8 }, () => one)))
    const many = Buffer.concat(Array.from({ length: 9 }, () => one))
    expect(() => check(many)).toThrow('its pages claim more than 134217728 values.')
  })

  it('are refused where many columns have the same bytes', () => {
    const bytes = Buffer.concat(Array.from({ length: 20 }, () => page(dictionary('010315'), 5, DICTIONARY)))
    check(bytes, 4)
    expect(() => check(bytes, 5)).toThrow('its columns share their bytes.')
  })

  describe('of values that begin as the one before', () => {
    const PREFIXED = 7
    const varint = (value: number): number[] => (value < 128 ? [value] : [(value % 128) + 128, ...varint(value >>> 7)])
    /** The same first length, then equal steps: a block of 128 steps takes six bytes. */
    const lengths = (count: number, first: number, second: number) => {
      const zigzag = (value: number) => varint(value >= 0 ? 2 * value : -2 * value - 1)
      const block = (step: number, widths: number[], body: number[]) => [...zigzag(step), ...widths, ...body]
      // Steps are the least one of the block and what is added, of 32 bits each, to the first of them.
      const added = [second - first, ...Array.from({ length: 31 }, () => 0)]
      const bytes = added.flatMap((one) => [one & 255, (one >> 8) & 255, (one >> 16) & 255, (one >> 24) & 255])
      const blocks = Array.from({ length: Math.ceil((count - 1) / 128) }, (_, at) =>
        at === 0 ? block(0, [32, 0, 0, 0], bytes) : block(0, [0, 0, 0, 0], []),
      )
      return Buffer.from([...varint(128), 4, ...varint(count), ...zigzag(first), ...blocks.flat()])
    }
    /** The first value has `own` bytes, and all others have `prefix` bytes of it. */
    const values = (count: number, own: number, prefix: number) =>
      page(
        Buffer.concat([
          levels(`${Buffer.from(varint(2 * count)).toString('hex')}01`),
          lengths(count, 0, prefix),
          lengths(count, own, 0),
          Buffer.alloc(own, 'a'),
        ]),
        count,
        PREFIXED,
      )
    const text = { type: 'BYTE_ARRAY' }

    it('are taken where they are as long as they say', async () => {
      check(values(1000, 1000, 1000), 1, text)
      check(values(1, 10, 10), 1, text)
    })

    it('are refused where they become too many bytes', () => {
      const bytes = values(100_000, 100_000, 100_000)
      expect(bytes.length).toBeLessThan(110_000)
      expect(() => check(bytes, 1, text)).toThrow('its pages unpack to more than 1073741824 bytes.')
    })

    it('are refused where one has more of the one before than that has', () => {
      const words = 'a value of a page begins with 2000000000 bytes of one that has 10.'
      expect(() => check(values(3, 10, 2_000_000_000), 1, text)).toThrow(words)
    })
  })

  it('that are broken otherwise are left to the reader of the table', () => {
    const bytes = page(dictionary('010315'), 5, DICTIONARY)
    for (let cut = 0; cut < bytes.length; cut += 1) check(bytes.subarray(0, cut))
    check(Buffer.from('ffffffffffffffff', 'hex'))
    check(bytes, 1, { codec: 'SNAPPY' })
    check(bytes, 1, { codec: 'ZSTD' })
    check(bytes, 1, { codec: 'GZIP' })
  })

  it('are of columns that the schema has', () => {
    const bytes = page(dictionary('010315'), 5, DICTIONARY)
    expect(() => check(bytes, 1, { path_in_schema: ['y'] })).toThrow('schema element not found: y')
  })
})

it('with two broken columns fails once: no error is left that would end the process', async () => {
  const left: unknown[] = []
  const note = (error: unknown) => left.push(error)
  process.on('unhandledRejection', note)
  const rows = Array.from({ length: 40 }, (_, at) => at)
  const columnData = ['aa', 'bb'].map((name) => ({ name, data: rows, type: 'INT32' as const }))
  const bytes = Buffer.from(parquetWriteBuffer({ columnData, codec: 'UNCOMPRESSED' }))
  const { row_groups: groups } = parquetMetadata(new Uint8Array(bytes).buffer)
  const first = groups[0]?.columns[0]?.meta_data
  bytes[Number(first?.dictionary_page_offset ?? first?.data_page_offset)] = 0xff
  const name = bytes.lastIndexOf('bb')
  bytes.write('cc', name)
  for (const asked of [['aa'], ['aa', 'bb']])
    await expect(openParquet(fileOf(bytes)).then((table) => table.read(asked, 0, 10))).rejects.toThrow(
      /schema element not found/,
    )
  bytes.write('bb', name)
  await expect(openParquet(fileOf(bytes)).then((table) => table.read(['aa', 'bb'], 0, 10))).rejects.toThrow()
  await new Promise((resolve) => setTimeout(resolve, 10))
  process.off('unhandledRejection', note)
  expect(left).toEqual([])
})

it('any byte of a table changed is read or refused in words', async () => {
  const bytes = made('SNAPPY', 40)
  const { metadata_length: length } = parquetMetadata(new Uint8Array(bytes).buffer)
  // Places before the description, which its own reader checks, and every fifth of it.
  const places = Array.from({ length: bytes.length }, (_, at) => at).filter(
    (at) => at < bytes.length - length - 8 || at % 5 === 0,
  )
  for (const at of places) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 0x15
    const told = await openParquet(fileOf(changed))
      .then((table) => table.read(['x'], 0, 10))
      .catch((error: unknown) => error)
    if (!Array.isArray(told)) expect((told as Error).message).toMatch(/\w/)
  }
})
