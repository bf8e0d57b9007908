/** Columns of a Parquet file by ranges of its bytes: only the row groups and columns that are needed are read. */
import { type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { pageGuard } from './parquet-pages.ts'

/** A file whose bytes are read by ranges: on a disk, or over the network. */
export interface ByteFile {
  /** Its name in what is told of it. */
  readonly path: string
  readonly sizeBytes: number
  /** Bytes from `start` to before `end`, which are within the file. */
  read(start: number, end: number): Promise<ArrayBuffer>
}

/** A table whose description has been read. */
export interface OpenParquet {
  readonly columns: readonly string[]
  /** The type of each column, as the file's schema says it: `DOUBLE`, `LIST`, … */
  readonly types: readonly string[]
  /** The bytes of each column in the row group where it is largest. */
  readonly bytes: readonly number[]
  readonly rows: number
  /** Rows of each row group. */
  readonly groups: readonly number[]
  /** The type in which the numbers or texts of each column are kept: `FLOAT`, `INT64`, … */
  readonly kept: readonly string[]
  /** Rows from `start` to before `end`, as objects of the columns that exist. */
  read(columns: readonly string[], start: number, end: number): Promise<Record<string, unknown>[]>
}

/** Bytes at the end of a file that are read at first: the footer of a file of LeRobot has a few KB. */
const FOOTER_BYTES = 64 * 1024
/** Of the description of a table; a broken file may claim one of gigabytes. */
const MOST_FOOTER_BYTES = 64 * 1024 * 1024

type ReadOptions = Parameters<typeof parquetReadObjects>[0]

/** A table whose description has been read, as the reader of tables takes it. */
export interface DescribedParquet {
  readonly metadata: FileMetaData
  /** Where and how its bytes are read: spread into the options of the reader. */
  readonly source: Pick<ReadOptions, 'file' | 'metadata' | 'useOffsetIndex' | 'compressors'>
}

/** Rejects with an `Error` in words where the file cannot be read. */
export async function describeParquet(file: ByteFile): Promise<DescribedParquet> {
  let assertPages: ReturnType<typeof pageGuard> | null = null
  const read = async (start: number, end: number) => {
    if (assertPages === null && end - start > MOST_FOOTER_BYTES)
      throw new Error('its description of itself is too long. Download the file.')
    const bytes = await file.read(start, Math.min(end, file.sizeBytes))
    assertPages?.(start, new Uint8Array(bytes))
    return bytes
  }
  const buffer = {
    byteLength: file.sizeBytes,
    slice(start: number, end = file.sizeBytes) {
      const bytes = read(start, end)
      // All columns are asked for at once, and one that fails ends the reading: no one waits for the others then.
      bytes.catch(() => undefined)
      return bytes
    },
  }
  const { unpackZstd } = await import('./zstd.ts')
  const compressors = { ZSTD: unpackZstd }
  const described = async () => {
    const told = await parquetMetadataAsync(buffer, { initialFetchSize: FOOTER_BYTES })
    return { metadata: told, guard: pageGuard(told, compressors) }
  }
  const { metadata, guard } = await described().catch((error: unknown) => {
    throw new Error(`${file.path} is not read: ${error instanceof Error ? error.message : String(error)}`)
  })
  assertPages = guard
  return { metadata, source: { file: buffer, metadata, useOffsetIndex: true, compressors } }
}

/** Rejects with an `Error` in words where the file cannot be read. */
export async function openParquet(file: ByteFile): Promise<OpenParquet> {
  const { metadata, source } = await describeParquet(file)
  const top = topColumns(metadata)
  const columns = top.map(({ name }) => name)
  return {
    columns,
    types: top.map(typeOf),
    bytes: columns.map((name) => largestBytes(metadata, name)),
    rows: Number(metadata.num_rows),
    groups: metadata.row_groups.map((group) => Number(group.num_rows)),
    kept: columns.map((name) => keptType(metadata, name)),
    async read(wanted, start, end) {
      const known = wanted.filter((name) => columns.includes(name))
      if (known.length === 0 || end <= start) return []
      return parquetReadObjects({ ...source, columns: known, rowStart: start, rowEnd: end })
    },
  }
}

type Column = FileMetaData['schema'][number]

const typeOf = ({ logical_type, converted_type, type, num_children }: Column): string =>
  logical_type?.type ?? converted_type ?? type ?? (num_children ? 'STRUCT' : '')

/** Of a list or a group: that of its first values. */
const keptType = ({ row_groups, schema }: FileMetaData, name: string): string =>
  row_groups[0]?.columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === name)?.meta_data?.type ??
  schema.find((column) => column.name === name)?.type ??
  ''

/** With the columns below it: a list or a group has several. */
const largestBytes = ({ row_groups }: FileMetaData, name: string): number =>
  row_groups.reduce((most, group) => {
    const own = group.columns.filter(({ meta_data }) => meta_data?.path_in_schema[0] === name)
    return Math.max(
      most,
      own.reduce((sum, { meta_data }) => sum + Number(meta_data?.total_compressed_size ?? 0), 0),
    )
  }, 0)

/** The outermost columns, without those of lists and groups. */
export function topColumns({ schema }: Pick<FileMetaData, 'schema'>): Column[] {
  const found: Column[] = []
  let at = 1
  const skip = () => {
    const children = schema[at]?.num_children ?? 0
    at += 1
    for (let child = 0; child < children; child += 1) skip()
  }
  while (at < schema.length) {
    const column = schema[at]
    if (column) found.push(column)
    skip()
  }
  return found
}
