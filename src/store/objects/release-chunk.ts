/**
 * Frees a chunk's memory at once; any other holder of the chunk finds it empty. The memory is outside the collector's
 * heap, and the collector lets about 100 MiB of such chunks accumulate before it runs. A chunk that is only a part of
 * its buffer is left alone: the rest may belong to another chunk.
 */
export function releaseChunk({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}
