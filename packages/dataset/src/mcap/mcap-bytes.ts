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

/** At most 32 MB of the file are in memory, or one block that is larger, and one chunk that was unpacked. */
export function mcapBytes(file: ByteFile): McapBytes {
  const { sizeBytes } = file
  const plain = plainChunks()
  let chunks: readonly { readonly from: number; readonly to: number; readonly index: ChunkIndex }[] = []
  const blocks: Block[] = []
  const rangeOf = (start: number, end: number): readonly [number, number] => {
    const chunk = chunks.find(({ from, to }) => from <= start && end <= to)
    if (chunk) return [chunk.from, chunk.to]
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
      const chunk = chunks.find(({ from }) => from === start)
      return chunk && bytes.length === Number(chunk.index.chunkLength) ? plain(chunk.index, bytes) : bytes
    },
    knows(indexes) {
      chunks = indexes.map((index) => {
        const from = Number(index.chunkStartOffset)
        return { from, to: from + Number(index.chunkLength + index.messageIndexLength), index }
      })
    },
  }
}
