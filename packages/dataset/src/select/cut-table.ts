/** Some rows of a table as a table of their own: of the same columns, types and notes, with numbers that change. */
import { parquetReadObjects } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { type ByteFile, type DescribedParquet, describeParquet, topColumns } from '../parquet.ts'
import { CannotSelect, type CutSink, cannotSelect } from './cut-sink.ts'

/** Rows from `start` to before `end`. */
export interface RowSpan {
  readonly start: number
  readonly end: number
}

/** Where a value is. */
interface ValuePlace {
  /** Its span, counted from 0. */
  readonly span: number
  /** Its row within the span. */
  readonly row: number
}

/** What becomes of the values of a column. */
export type Change = (value: unknown, place: ValuePlace) => unknown

/** A table, and what is taken of it. */
export interface TableCut {
  readonly table: DescribedParquet
  /** In order, apart from one another. */
  readonly spans: readonly RowSpan[]
  /** By the names of columns; others stay as they are. */
  readonly changes: ReadonlyMap<string, Change>
  /** Told of each column of each row group after its changes. */
  readonly seen?: (column: string, values: readonly unknown[]) => void
}

/** Of one column in one row group, as it is stored: LeRobot's files have at most 100 MB in all. */
const MOST_GROUP_BYTES = 512 * 1024 * 1024

/** Values as they are stored, where that loses nothing and the writer takes them: times, bytes, UUIDs. */
const parsers = {
  timestampFromMilliseconds: (value: bigint) => value,
  timestampFromMicroseconds: (value: bigint) => value,
  timestampFromNanoseconds: (value: bigint) => value,
  dateFromDays: (value: number) => value,
  uuidFromBytes: (value: Uint8Array) => value,
}

/** Rejects with `CannotSelect` where the table cannot be read. */
export async function tableToCut(file: ByteFile | null, path: string): Promise<DescribedParquet> {
  if (!file) throw new CannotSelect(`The table ${path} is not there.`)
  return describeParquet(file).catch(cannotSelect)
}

/** Writes the rows. One column of one row group of the source, and one row group of the new table are in memory. */
export async function cutTable(sink: CutSink, path: string, { table, spans, changes, seen }: TableCut): Promise<void> {
  const { metadata } = table
  const file = await sink.create(path)
  const bytes = new ByteWriter()
  const flush = async () => {
    await file.append(bytes.getBytes().slice(0, bytes.index))
    bytes.index = 0
  }
  const writer = new ParquetWriter({
    ...{ writer: Object.assign(bytes, { flush, finish: flush }), schema: metadata.schema },
    kvMetadata: metadata.key_value_metadata,
  })
  const columns = topColumns(metadata).map(({ name }) => name)
  let groupStart = 0
  for (const group of metadata.row_groups) {
    const groupEnd = groupStart + Number(group.num_rows)
    const parts = spans.flatMap(({ start, end }, span) => {
      const [from, to] = [Math.max(start, groupStart), Math.min(end, groupEnd)]
      return from < to ? [{ span, from, to, first: from - start }] : []
    })
    if (parts.length > 0) {
      const columnData = []
      for (const name of columns) {
        const own = group.columns.filter(({ meta_data }) => meta_data?.path_in_schema[0] === name)
        const size = own.reduce((sum, { meta_data }) => sum + Number(meta_data?.total_compressed_size ?? 0), 0)
        if (size > MOST_GROUP_BYTES) throw new CannotSelect(`The column ${name} of ${path} is too large to be cut.`)
        const data = await readColumn(table, name, parts, changes.get(name))
        seen?.(name, data)
        columnData.push({ name, data })
      }
      const rows = columnData[0]?.data.length ?? 1
      await writer.write({ columnData, rowGroupSize: rows })
    }
    groupStart = groupEnd
  }
  await writer.finish()
  await file.close()
}

interface Part {
  readonly span: number
  readonly from: number
  readonly to: number
  /** The row of `from` within its span. */
  readonly first: number
}

async function readColumn(
  table: DescribedParquet,
  name: string,
  parts: readonly Part[],
  change: Change | undefined,
): Promise<unknown[]> {
  const [start, end] = [parts[0]?.from ?? 0, parts.at(-1)?.to ?? 0]
  const options = { columns: [name], rowStart: start, rowEnd: end, utf8: false, parsers }
  const rows = await parquetReadObjects({ ...table.source, ...options })
  return parts.flatMap(({ span, from, to, first }) =>
    rows.slice(from - start, to - start).map((row, at) => {
      const value: unknown = row[name]
      return change ? change(value, { span, row: first + at }) : value
    }),
  )
}

/** A whole number in the type of the one in whose place it comes: 64-bit numbers of tables are bigints. */
export const inTypeOf = (value: unknown, number: number): number | bigint =>
  typeof value === 'bigint' ? BigInt(number) : number
