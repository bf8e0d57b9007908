/**
 * Frames of LZ4, as MCAP's chunks are compressed: https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md. Pure.
 * Checksums are not compared: an MCAP chunk has one of its own.
 */

const MAGIC = 0x184d2204
/** Frames of these 16 are to be skipped. */
const SKIPPED = 0x184d2a50

/** A byte of a length stands for at most 255: no data gets longer by more. */
const MOST_TIMES = 255

const VERSION = 0b0100_0000
const HAS_BLOCK_SUM = 0b0001_0000
const HAS_SIZE = 0b0000_1000
const HAS_SUM = 0b0000_0100
const HAS_DICTIONARY = 0b0000_0001
/** Of the length of a block: its bytes are as they were. */
const STORED = 0x8000_0000

const broken = (why: string) => new Error(`its LZ4 is broken: ${why}`)

/**
 * What was compressed, of exactly `size` bytes: throws an `Error` in words for anything else. A size that the packed
 * bytes cannot have is refused before memory is taken for it.
 */
export function unpackLz4(packed: Uint8Array, size: number): Uint8Array {
  if (size > packed.length * MOST_TIMES) throw broken(`${packed.length} bytes cannot become ${size}`)
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const out = new Uint8Array(size)
  let [at, to] = [0, 0]
  const word = () => {
    if (at + 4 > packed.length) throw broken('it was cut')
    at += 4
    return view.getUint32(at - 4, true)
  }
  while (at < packed.length) {
    const magic = word()
    if (magic >= SKIPPED && magic < SKIPPED + 16) {
      const length = word()
      at += length
      continue
    }
    if (magic !== MAGIC) throw broken('a frame does not start with its mark')
    const flags = packed[at] ?? 0
    if ((flags & 0b1100_0000) !== VERSION) throw broken('its version is not 1')
    if (flags & HAS_DICTIONARY) throw broken('it needs a dictionary')
    // Flags, the size of blocks, and a sum of both.
    at += 3 + (flags & HAS_SIZE ? 8 : 0)
    for (let length = word(); length !== 0; length = word()) {
      const end = at + (length & ~STORED)
      if (end > packed.length) throw broken('it was cut')
      if (length >= STORED) {
        if (to + end - at > size) throw broken(`it has more than ${size} bytes`)
        out.set(packed.subarray(at, end), to)
        to += end - at
      } else to = unpackBlock(packed.subarray(at, end), out, to)
      at = end + (flags & HAS_BLOCK_SUM ? 4 : 0)
    }
    at += flags & HAS_SUM ? 4 : 0
  }
  if (to !== size) throw broken(`it has ${to} bytes and not ${size}`)
  return out
}

/** Sequences of bytes as they are, each with a copy of earlier ones of `out`. Returns the place behind the last one. */
function unpackBlock(block: Uint8Array, out: Uint8Array, from: number): number {
  let [at, to] = [0, from]
  const lengthOf = (short: number) => {
    let length = short
    for (let more = short === 15 ? 255 : 0; more === 255; length += more) {
      if (at >= block.length) throw broken('it was cut')
      more = block[at++] ?? 0
    }
    return length
  }
  while (at < block.length) {
    const token = block[at++] ?? 0
    const literals = lengthOf(token >> 4)
    if (at + literals > block.length) throw broken('it was cut')
    if (to + literals > out.length) throw broken(`it has more than ${out.length} bytes`)
    out.set(block.subarray(at, at + literals), to)
    at += literals
    to += literals
    // The last sequence has no copy.
    if (at === block.length) return to
    if (at + 2 > block.length) throw broken('it was cut')
    const back = (block[at] ?? 0) | ((block[at + 1] ?? 0) << 8)
    at += 2
    if (back === 0 || back > to) throw broken('it copies what is before its start')
    const end = to + lengthOf(token & 15) + 4
    if (end > out.length) throw broken(`it has more than ${out.length} bytes`)
    // A copy may overlap what it makes: then it repeats.
    if (back >= end - to) out.copyWithin(to, to - back, end - back)
    else for (let next = to; next < end; next += 1) out[next] = out[next - back] ?? 0
    to = end
  }
  return to
}
