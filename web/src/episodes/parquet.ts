/**
 * Columns of a Parquet file of a repo by range requests: only the row groups and columns that are needed come over the
 * network.
 */
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'

export interface RangeFile {
  readonly path: string
  readonly sizeBytes: number
  /** An address that answers range requests. */
  url(): Promise<string>
}

export interface OpenParquet {
  readonly columns: readonly string[]
  readonly rows: number
  /** Rows from `start` to before `end`, as objects of the columns that exist. */
  read(columns: readonly string[], start: number, end: number): Promise<Record<string, unknown>[]>
}

/** Bytes at the end of a file that are read at first: the footer of a file of LeRobot has a few KB. */
const FOOTER_BYTES = 64 * 1024

/** `tell` is called with the bytes of each answer. Rejects with an `Error` in words where the file cannot be read. */
export async function openParquet(file: RangeFile, tell: (bytes: number) => void): Promise<OpenParquet> {
  const buffer = rangeBuffer(file, tell)
  const metadata = await parquetMetadataAsync(buffer, { initialFetchSize: FOOTER_BYTES }).catch((error: unknown) => {
    throw new Error(`${file.path} is not read: ${error instanceof Error ? error.message : String(error)}`)
  })
  const columns = topColumns(metadata)
  return {
    columns,
    rows: Number(metadata.num_rows),
    async read(wanted, start, end) {
      const known = wanted.filter((name) => columns.includes(name))
      if (known.length === 0 || end <= start) return []
      const { decompress } = await import('fzstd')
      return parquetReadObjects({
        file: buffer,
        metadata,
        columns: known,
        rowStart: start,
        rowEnd: end,
        useOffsetIndex: true,
        compressors: { ZSTD: (input, length) => decompress(input, new Uint8Array(length)) },
      })
    },
  }
}

function topColumns({ schema }: FileMetaData): string[] {
  const found: string[] = []
  let at = 1
  const skip = () => {
    const children = schema[at]?.num_children ?? 0
    at += 1
    for (let child = 0; child < children; child += 1) skip()
  }
  while (at < schema.length) {
    found.push(schema[at]?.name ?? '')
    skip()
  }
  return found
}

function rangeBuffer(file: RangeFile, tell: (bytes: number) => void): AsyncBuffer {
  let address: Promise<string> | null = null
  const ask = async (start: number, last: number) => {
    address ??= file.url()
    return fetch(await address, { headers: { range: `bytes=${start}-${last}` } })
  }
  return {
    byteLength: file.sizeBytes,
    async slice(start, end = file.sizeBytes) {
      const last = Math.min(end, file.sizeBytes) - 1
      let answer = await ask(start, last)
      if (answer.status === 401 || answer.status === 403) {
        // An address is good for an hour; a page is open for longer.
        address = null
        answer = await ask(start, last)
      }
      if (!answer.ok) throw new Error(`the answer was ${answer.status}.`)
      const bytes = await answer.arrayBuffer()
      tell(bytes.byteLength)
      // A store without ranges sends all of it.
      return answer.status === 206 ? bytes : bytes.slice(start, last + 1)
    },
  }
}
