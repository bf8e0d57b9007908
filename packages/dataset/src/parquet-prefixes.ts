/**
 * What values become in memory of which each says how much it has of the one before: a page of a few hundred bytes may
 * have a million values of a megabyte. Pure.
 */
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js'
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js'

const readerOf = (bytes: Uint8Array) => ({
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
})

/** How many of these levels, which have their length before them, are the highest: as many values are there. */
export function fullLevels(
  bytes: Uint8Array,
  { bits, full, values }: { readonly bits: number; readonly full: number; readonly values: number },
): number {
  const levels = new Array<number>(values)
  try {
    readRleBitPackedHybrid(readerOf(bytes), bits, levels)
  } catch {
    // The reader of the table tells it, before it comes to the values.
    return 0
  }
  return levels.reduce((count, level) => (level === full ? count + 1 : count), 0)
}

/**
 * Of a page that is encoded as `DELTA_BYTE_ARRAY`: the bytes of its values, which its reader copies. Throws an `Error`
 * in words for a value that claims more of the one before than that has.
 * https://parquet.apache.org/docs/file-format/data-pages/encodings/#delta-strings-delta_byte_array--7
 */
export function prefixedBytes(page: Uint8Array, values: number): number {
  // A reader of no values reads the first length all the same, and copies nothing.
  if (!(values > 0)) return 0
  const [prefixes, suffixes] = [new Int32Array(values), new Int32Array(values)]
  const reader = readerOf(page)
  try {
    deltaBinaryUnpack(reader, values, prefixes)
    deltaBinaryUnpack(reader, values, suffixes)
  } catch {
    // Lengths that end too early: the reader of the table tells it, before it comes to the values.
    return 0
  }
  let [before, sum, left] = [0, 0, page.length - reader.offset]
  for (const [at, prefix] of prefixes.entries()) {
    const suffix = suffixes[at] ?? 0
    left -= suffix
    // It ends at the value that is not there.
    if (suffix < 0 || left < 0) return sum
    if (prefix < 0 || prefix > before)
      throw new Error(`a value of a page begins with ${prefix} bytes of one that has ${before}.`)
    before = prefix + suffix
    if (prefix > 0) sum += before
  }
  return sum
}
