/**
 * Gives a chunk's memory back at once; any other holder of the chunk finds it empty. It lies outside the collector's heap, which lets about 100 MiB of such
 * chunks pile up before it looks. Does nothing to a chunk that is only a piece of its memory: another chunk may lie in the rest of it.
 */
export function releaseChunk({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}
