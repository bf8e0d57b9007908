/**
 * Zstandard of a length that is known: https://github.com/facebook/zstd/blob/dev/doc/zstd_compression_format.md. Pure.
 * The library that unpacks it cuts or fills with zeros, without a word, what is longer or shorter than asked for.
 */
import { decompress } from 'fzstd'

const MAGIC = 0xfd2fb528
/** Frames of these 16 are to be skipped. */
const SKIPPED = 0x184d2a50

const HAS_SUM = 0b0000_0100
const IS_ONE_SEGMENT = 0b0010_0000

/** Of a block's head: the last one of its frame; its type; its length. */
const IS_LAST = 1
const RLE = 1
const HEAD_BYTES = 3

/** Put behind what a frame holds. Longer than any guess: 16 random bytes. */
const MARK_BYTES = 16

/** One block stands for at most 128 KiB, and takes four bytes at least. */
const MOST_TIMES = 32 * 1024

const broken = (why: string) => new Error(`its zstd is broken: ${why}`)

interface Frame {
  readonly start: number
  /** Where its last block has its head. */
  readonly lastAt: number
  /** Behind the last block; a sum may follow, which is not compared. */
  readonly blocksEnd: number
  /** What it says that it holds; null where it does not. */
  readonly size: number | null
}

/**
 * What was compressed, of exactly `size` bytes: throws an `Error` in words for anything else. Of several frames all but
 * the last have to say what they hold.
 */
export function unpackZstd(packed: Uint8Array, size: number): Uint8Array {
  if (size > packed.length * MOST_TIMES) throw broken(`${packed.length} bytes cannot become ${size}`)
  const mark = crypto.getRandomValues(new Uint8Array(MARK_BYTES))
  const out = new Uint8Array(size + MARK_BYTES)
  let to = 0
  const frames = framesOf(packed)
  for (const [at, frame] of frames.entries()) {
    const left = size - to
    const own = at === frames.length - 1 ? left : frame.size
    if (own === null) throw broken('a frame does not say its length, and is not the last one')
    if (own > left || (frame.size ?? own) !== own)
      throw broken(`it has ${to + (frame.size ?? own)} bytes and not ${size}`)
    const target = out.subarray(to, to + own + MARK_BYTES)
    try {
      decompress(marked(packed, frame, mark), target)
    } catch (error) {
      // Where the mark does not fit, there was more before it.
      const isLong = error instanceof RangeError
      throw broken(isLong ? `it does not have ${size} bytes` : error instanceof Error ? error.message : String(error))
    }
    if (!mark.every((byte, place) => target[own + place] === byte)) throw broken(`it does not have ${size} bytes`)
    to += own
  }
  if (to !== size) throw broken(`it has ${to} bytes and not ${size}`)
  return out.subarray(0, size)
}

/** A frame with one more block, which holds the mark as it is: it stands where the others end. */
function marked(packed: Uint8Array, { start, lastAt, blocksEnd }: Frame, mark: Uint8Array): Uint8Array {
  const made = new Uint8Array(blocksEnd - start + HEAD_BYTES + MARK_BYTES)
  made.set(packed.subarray(start, blocksEnd))
  made[lastAt - start] = (made[lastAt - start] ?? 0) & ~IS_LAST
  made[blocksEnd - start] = IS_LAST | (MARK_BYTES << 3)
  made.set(mark, blocksEnd - start + HEAD_BYTES)
  return made
}

/** Of frames and their blocks only the heads are read. */
function framesOf(packed: Uint8Array): Frame[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const frames: Frame[] = []
  let at = 0
  const need = (bytes: number) => {
    if (at + bytes > packed.length) throw broken('it was cut')
  }
  while (at < packed.length) {
    need(8)
    const magic = view.getUint32(at, true)
    if ((magic & ~15) >>> 0 === SKIPPED) {
      at += 8 + view.getUint32(at + 4, true)
      continue
    }
    if (magic !== MAGIC) throw broken('a frame does not start with its mark')
    const start = at
    const flags = packed[at + 4] ?? 0
    const isOneSegment = (flags & IS_ONE_SEGMENT) !== 0
    at += 5 + (isOneSegment ? 0 : 1) + ([0, 1, 2, 4][flags & 3] ?? 0)
    const sizeBytes = [isOneSegment ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0
    need(sizeBytes + HEAD_BYTES)
    const size = sizeOf(view, at, sizeBytes)
    at += sizeBytes
    for (let lastAt = at; ; lastAt = at) {
      need(HEAD_BYTES)
      const head = (packed[at] ?? 0) | ((packed[at + 1] ?? 0) << 8) | ((packed[at + 2] ?? 0) << 16)
      at += HEAD_BYTES + (((head >> 1) & 3) === RLE ? 1 : head >> 3)
      if (at > packed.length) throw broken('it was cut')
      if ((head & IS_LAST) === 0) continue
      const blocksEnd = at
      at += flags & HAS_SUM ? 4 : 0
      frames.push({ start, lastAt, blocksEnd, size })
      break
    }
  }
  if (at !== packed.length) throw broken('it was cut')
  return frames
}

function sizeOf(view: DataView, at: number, bytes: number): number | null {
  if (bytes === 0) return null
  if (bytes === 1) return view.getUint8(at)
  if (bytes === 2) return view.getUint16(at, true) + 256
  return bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true))
}
