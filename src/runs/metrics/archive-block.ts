/**
 * A block of an archive: lines of metrics as JSON, compressed by themselves, so that a page reads only its own blocks.
 * zstd's own checksum finds damaged bytes.
 */
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import type { MetricLine } from './metric-lines.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** The level is zstd's default: a block is written once. */
const params = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 }

type Packed = readonly [seq: number, step: number | null, elapsedS: number, line: string]

/** The bytes that are compressed: equal for equal lines. */
export function blockText(lines: readonly MetricLine[]): Buffer {
  return Buffer.from(JSON.stringify(lines.map(({ seq, step, elapsedS, line }): Packed => [seq, step, elapsedS, line])))
}

export const packBlock = (text: Buffer): Promise<Buffer> => compress(text, { params })

/** Rejects for damaged bytes. */
export async function unpackBlock(bytes: Buffer): Promise<MetricLine[]> {
  const packed: readonly Packed[] = JSON.parse((await decompress(bytes)).toString('utf8'))
  return packed.map(([seq, step, elapsedS, line]) => ({ seq, step, elapsedS, line }))
}
