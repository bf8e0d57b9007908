/** Rows of a table with columns of all kinds: what comes out is what was in it. */
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { expect, it } from 'vitest'
import { describeParquet } from '../src/parquet.ts'
import { cutTable } from '../src/select/cut-table.ts'
import { listOf, plain } from './support/parquet-columns.ts'

const fileOf = (bytes: ArrayBuffer) => ({
  ...{ path: 'data/a.parquet', sizeBytes: bytes.byteLength },
  read: (start: number, end: number) => Promise.resolve(bytes.slice(start, end)),
})

/** As LeRobot's tools write them: pictures in a group of bytes and path, lists, texts, times, nothing at all. */
const rows = Array.from({ length: 10 }, (_, at) => ({
  picture: { bytes: Uint8Array.of(0x89, 0xff, at), path: at % 2 === 0 ? `frame-${at}.png` : undefined },
  state: at === 3 ? null : [at / 3, -at],
  text: at === 4 ? null : `täsk ${at}`,
  done: at > 5,
  small: at - 5,
  at: BigInt(1_700_000_000_000_001 + at),
  index: BigInt(at),
}))
const names = ['picture', 'state', 'text', 'done', 'small', 'at', 'index'] as const
const source = parquetWriteBuffer({
  columnData: names.map((name) => ({ name, data: rows.map((row) => row[name]) })),
  schema: [
    { name: 'schema', num_children: names.length },
    { name: 'picture', repetition_type: 'OPTIONAL', num_children: 2 },
    plain('bytes', 'BYTE_ARRAY'),
    { ...plain('path', 'BYTE_ARRAY'), converted_type: 'UTF8' },
    ...listOf('state', 'FLOAT'),
    { ...plain('text', 'BYTE_ARRAY'), converted_type: 'UTF8' },
    plain('done', 'BOOLEAN'),
    { ...plain('small', 'INT32'), converted_type: 'INT_8' },
    { ...plain('at', 'INT64'), converted_type: 'TIMESTAMP_MICROS' },
    plain('index', 'INT64'),
  ],
  rowGroupSize: 4,
  kvMetadata: [{ key: 'huggingface', value: '{"info": {}}' }],
})

it('keeps values, types, row groups and notes of the rows that it takes', async () => {
  const table = await describeParquet(fileOf(source))
  const parts: Uint8Array[] = []
  const append = async (bytes: Uint8Array) => {
    parts.push(bytes)
  }
  const sink = { create: () => Promise.resolve({ append, close: () => Promise.resolve() }) }
  const spans = [
    { start: 1, end: 3 },
    { start: 3, end: 5 },
    { start: 9, end: 10 },
  ]
  const changes = new Map([
    [
      'index',
      (value: unknown, { span, row }: { span: number; row: number }) =>
        BigInt(100 * span + row) + BigInt(0 * Number(value)),
    ],
  ])
  await cutTable(sink, 'new.parquet', { table, spans, changes })
  const whole = new Uint8Array(Buffer.concat(parts))
  const [before, after] = [source, whole.buffer].map((bytes) => parquetMetadata(bytes))
  expect(after?.schema).toEqual(before?.schema)
  expect(after?.key_value_metadata).toEqual([{ key: 'huggingface', value: '{"info": {}}' }])
  expect(after?.row_groups.map((group) => Number(group.num_rows))).toEqual([3, 1, 1])
  // Bytes as they are: as texts, wrong ones would be equal.
  const [old, made] = await Promise.all([source, whole.buffer].map((file) => parquetReadObjects({ file, utf8: false })))
  expect(made).toEqual([1, 2, 3, 4, 9].map((at, place) => ({ ...old?.[at], index: [0n, 1n, 100n, 101n, 200n][place] })))
  expect(made?.[0]?.picture.bytes).toEqual(Uint8Array.of(0x89, 0xff, 1))
})
