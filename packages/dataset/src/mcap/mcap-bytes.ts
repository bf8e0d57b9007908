/** Bytes of an MCAP file as its reader asks for them: few ranges, the last ones kept, none without end. */
import type { IReadable } from '@mcap/core'
import type { ByteFile } from '../parquet.ts'
import { type ChunkIndex, plainChunks } from './plain-chunks.ts'

/** Of blocks that are kept: some chunks with their indexes, which tools make 1 to 8 MB large. */
const KEPT_BYTES = 32 * 1024 * 1024

/** A chunk, or the summary of a file. A broken file may claim any size. */
const MOST_BYTES = 64 * 1024 * 1024

/** At both ends of a file its reader asks for small parts, one after the other. */
const HEAD_BYTES = 4 * 1024
const TAIL_BYTES = 64 * 1024

/** A reading that knows where chunks are. */
export interface McapBytes extends IReadable {
  /** From here on a chunk is read together with its indexes, and handed out plain. */
  knows(indexes: readonly ChunkIndex[]): void
}

interface Block {
  readonly start: number
  readonly bytes: Uint8Array
}

interface Chunk {
  readonly from: number
  /** Behind its indexes. */
  readonly to: number
  readonly index: ChunkIndex
}

/** At most 32 MB of the file are in memory, or one block that is larger, and one chunk that was unpacked. */
export function mcapBytes(file: ByteFile): McapBytes {
  const { sizeBytes } = file
  const plain = plainChunks()
  let chunks: readonly Chunk[] = []
  /** The last one that does not begin after a place: a recording of a day has a hundred thousand. */
  const chunkAt = (place: number): Chunk | undefined => {
    let [low, high] = [0, chunks.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((chunks[middle]?.from ?? 0) <= place) low = middle + 1
      else high = middle
    }
    return chunks[low - 1]
  }
  const blocks: Block[] = []
  const rangeOf = (start: number, end: number): readonly [number, number] => {
    const chunk = chunkAt(start)
    if (chunk && end <= chunk.to) return [chunk.from, chunk.to]
    if (end <= HEAD_BYTES) return [0, Math.min(HEAD_BYTES, sizeBytes)]
    const tail = Math.max(0, sizeBytes - TAIL_BYTES)
    return start >= tail ? [tail, sizeBytes] : [start, end]
  }
  const blockOf = async (start: number, end: number): Promise<Block> => {
    const at = blocks.findIndex((block) => block.start <= start && end <= block.start + block.bytes.length)
    const [kept] = at < 0 ? [] : blocks.splice(at, 1)
    if (kept) {
      blocks.push(kept)
      return kept
    }
    const [from, to] = rangeOf(start, end)
    if (to - from > MOST_BYTES) throw new Error(`a part of it has ${to - from} bytes, over ${MOST_BYTES}.`)
    const made = { start: from, bytes: new Uint8Array(await file.read(from, to)) }
    blocks.push(made)
    const held = () => blocks.reduce((sum, { bytes }) => sum + bytes.length, 0)
    while (blocks.length > 1 && held() > KEPT_BYTES) blocks.shift()
    return made
  }
  return {
    size: () => Promise.resolve(BigInt(sizeBytes)),
    async read(offset, size) {
      const [start, end] = [Number(offset), Number(offset + size)]
      if (end > sizeBytes) throw new Error(`it ends after ${sizeBytes} bytes, before its own index says.`)
      const block = await blockOf(start, end)
      const bytes = block.bytes.subarray(start - block.start, end - block.start)
      const chunk = chunkAt(start)
      const isChunk = chunk?.from === start && bytes.length === Number(chunk.index.chunkLength)
      return isChunk ? plain(chunk.index, bytes) : bytes
    },
    knows(indexes) {
      const made = indexes.map((index) => {
        const from = Number(index.chunkStartOffset)
        return { from, to: from + Number(index.chunkLength + index.messageIndexLength), index }
      })
      chunks = made.toSorted((a, b) => a.from - b.from)
    },
  }
}
