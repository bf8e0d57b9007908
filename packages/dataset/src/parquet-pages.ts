/**
 * What the pages of a table become in memory, before its reader decodes them: a run of a few bytes may claim a billion
 * values, which the reader writes one by one, and a description as many. Pure.
 */
import { type ColumnMetaData, type Compressors, type FileMetaData, parquetSchema } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { decompressPage } from 'hyparquet/src/datapage.js'
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getTreePath } from 'hyparquet/src/schema.js'
import { fullLevels, prefixedBytes } from './parquet-prefixes.ts'

/** Of all pages that are read together: a million rows of 128 numbers take a gigabyte. */
const MOST_VALUES = 128 * 1024 * 1024
/** Of the same pages, unpacked. */
const MOST_BYTES = 1024 * 1024 * 1024
/** Columns lie behind one another. A file that says otherwise has the same bytes decoded for each of them. */
const MOST_TIMES = 4

type Header = ReturnType<typeof parquetHeader>

/** The pages of one column in one row group. */
interface Chunk {
  readonly start: number
  readonly end: number
  readonly meta: ColumnMetaData
  /** Bits of its levels; none where it has no lists, or no gaps. */
  readonly repetitionBits: number
  readonly definitionBits: number
  /** The level of a value that is there. */
  readonly definitionLevel: number
}

/**
 * Checks bytes of the file that begin at a place: throws an `Error` in words for pages that claim too much. Throws at
 * once where a column is not in the schema.
 */
export function pageGuard(
  metadata: FileMetaData,
  compressors: Compressors,
): (start: number, bytes: Uint8Array) => void {
  const chunks = chunksOf(metadata)
  return (start, bytes) => {
    const end = start + bytes.length
    const budget = new Budget(bytes.length)
    for (const chunk of chunks) {
      const [from, to] = [Math.max(chunk.start, start), Math.min(chunk.end, end)]
      if (from < to) checkPages(bytes.subarray(from - start, to - start), chunk, compressors, budget)
    }
  }
}

function chunksOf(metadata: FileMetaData): Chunk[] {
  const tree = parquetSchema(metadata)
  return metadata.row_groups.flatMap(({ columns }) =>
    columns.flatMap(({ meta_data: meta }): Chunk[] => {
      if (!meta) return []
      // Its reader would throw after it has begun with other columns, whose own errors no one would see.
      const path = getTreePath(tree, meta.path_in_schema)
      const start = Number(meta.dictionary_page_offset || meta.data_page_offset)
      return [
        {
          ...{ start, end: start + Number(meta.total_compressed_size), meta },
          repetitionBits: bitsOf(getMaxRepetitionLevel(path)),
          definitionBits: bitsOf(getMaxDefinitionLevel(path)),
          definitionLevel: getMaxDefinitionLevel(path),
        },
      ]
    }),
  )
}

const bitsOf = (most: number) => 32 - Math.clz32(most)

class Budget {
  #read: number
  #values = MOST_VALUES
  #bytes = MOST_BYTES

  constructor(readBytes: number) {
    this.#read = MOST_TIMES * readBytes
  }

  take(packed: number, unpacked: number, values: number): void {
    this.#read -= packed
    this.#bytes -= unpacked
    this.#values -= values
    if (this.#read < 0) throw new Error('its columns share their bytes.')
    if (this.#values < 0) throw new Error(`its pages claim more than ${MOST_VALUES} values.`)
    if (this.#bytes < 0) throw new Error(`its pages unpack to more than ${MOST_BYTES} bytes.`)
  }
}

/** What is broken in other ways is told by the reader of the table, which reads the same headers at the same places. */
function checkPages(bytes: Uint8Array, chunk: Chunk, compressors: Compressors, budget: Budget): void {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 }
  while (reader.offset < bytes.length - 1) {
    const begun = reader.offset
    const header = unlessBroken(() => parquetHeader(reader))
    if (header === null) return
    if (!numbersOf(header).every((one) => Number.isInteger(one) && one >= 0))
      throw new Error('a page does not say how long it is.')
    const packed = bytes.subarray(reader.offset, reader.offset + header.compressed_page_size)
    const headBytes = reader.offset - begun
    reader.offset += header.compressed_page_size
    budget.take(headBytes + packed.length, header.uncompressed_page_size, headOf(header)?.num_values ?? 0)
    const page = { packed, header, chunk, compressors }
    if (header.type === 'DATA_PAGE') budget.take(0, checkPage(page), 0)
    else if (header.type === 'DATA_PAGE_V2') budget.take(0, checkPage2(page), 0)
  }
}

const headOf = ({ type, data_page_header, data_page_header_v2, dictionary_page_header }: Header) => {
  if (type === 'DATA_PAGE') return data_page_header
  return type === 'DATA_PAGE_V2' ? data_page_header_v2 : dictionary_page_header
}

/** What its reader takes for numbers: with one that is not there it reads the first byte for ever. */
function numbersOf(header: Header): number[] {
  const { type, compressed_page_size, uncompressed_page_size, data_page_header_v2: head } = header
  const known = [compressed_page_size, uncompressed_page_size, headOf(header)?.num_values ?? Number.NaN]
  if (type !== 'DATA_PAGE_V2' || !head) return known
  const { repetition_levels_byte_length, definition_levels_byte_length, num_nulls, num_rows } = head
  return [...known, repetition_levels_byte_length, definition_levels_byte_length, num_nulls, num_rows]
}

interface Page {
  readonly packed: Uint8Array
  readonly header: Header
  readonly chunk: Chunk
  readonly compressors: Compressors
}

/** Levels and values are packed together. Returns the bytes that its values become beside the page. */
function checkPage({ packed, header, chunk, compressors }: Page): number {
  const { repetitionBits, definitionBits, definitionLevel, meta } = chunk
  const head = header.data_page_header
  const page = unlessBroken(() => decompressPage(packed, header.uncompressed_page_size, meta.codec, compressors))
  if (!head || page === null) return 0
  const values = head.num_values
  const levelsAt = repetitionBits > 0 ? checkCountedRuns(page, 0, repetitionBits, values) : 0
  const at = definitionBits > 0 ? checkCountedRuns(page, levelsAt, definitionBits, values) : levelsAt
  checkValues(page.subarray(at), head, meta)
  if (head.encoding !== PREFIXED) return 0
  const levels = page.subarray(levelsAt)
  const there =
    definitionBits > 0 ? fullLevels(levels, { bits: definitionBits, full: definitionLevel, values }) : values
  return prefixedBytes(page.subarray(at), there)
}

/** Each value begins with a part of the one before it, of any length. */
const PREFIXED = 'DELTA_BYTE_ARRAY'

/** Levels stand before the values, and are not packed. Returns the same. */
function checkPage2({ packed, header, chunk, compressors }: Page): number {
  const { repetitionBits, definitionBits, meta } = chunk
  const head = header.data_page_header_v2
  if (!head) return 0
  const [repetitions, definitions] = [head.repetition_levels_byte_length, head.definition_levels_byte_length]
  if (repetitionBits > 0) checkRuns(packed, repetitionBits, head.num_values)
  if (definitionBits > 0) checkRuns(packed.subarray(repetitions), definitionBits, head.num_values)
  const [rest, size] = [packed.subarray(repetitions + definitions), header.uncompressed_page_size]
  const page = head.is_compressed
    ? unlessBroken(() => decompressPage(rest, size - repetitions - definitions, meta.codec, compressors))
    : rest
  if (page === null) return 0
  checkValues(page, head, meta)
  return head.encoding === PREFIXED ? prefixedBytes(page, head.num_values - head.num_nulls) : 0
}

/** Values that are places in a dictionary, or truths, are runs. */
function checkValues(
  page: Uint8Array,
  { encoding, num_values: values }: { readonly encoding?: string; readonly num_values: number },
  { type }: ColumnMetaData,
): void {
  const isDictionary = encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY'
  if (encoding === 'RLE' && type === 'BOOLEAN') checkCountedRuns(page, 0, 1, values)
  else if (isDictionary || encoding === 'RLE') checkRuns(page.subarray(1), page[0] ?? 0, values)
}

/** Runs with their length before them. Returns the place behind them. */
function checkCountedRuns(bytes: Uint8Array, at: number, bits: number, values: number): number {
  if (at + 4 > bytes.length) return bytes.length
  const length = new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, true)
  checkRuns(bytes.subarray(at + 4), bits, values)
  return at + 4 + length
}

/** Packed values come in eights, of which the last ones may be none. */
const IN_A_GROUP = 8

/** https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE */
function checkRuns(bytes: Uint8Array, bits: number, values: number): void {
  let [at, seen] = [0, 0]
  while (seen < values && at < bytes.length) {
    let head = 0
    for (let shift = 0, more = true; more; shift += 7) {
      const byte = bytes[at] ?? 0
      head |= (byte & 0x7f) << shift
      more = byte >= 0x80
      at += 1
    }
    const isPacked = (head & 1) === 1
    const count = head >>> 1
    const run = isPacked ? count * IN_A_GROUP : count
    if (head < 0 || run >= values - seen + (isPacked ? IN_A_GROUP : 1))
      throw new Error(`a page of ${values} values has a run of ${run}.`)
    at += isPacked ? count * bits : (bits + 7) >> 3
    seen += run
  }
}

function unlessBroken<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
