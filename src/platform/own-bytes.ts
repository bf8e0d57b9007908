/**
 * UTF-8 of a text that is kept. Node cuts the small buffers of `Buffer.from` out of slabs of 64 KiB, and one of them
 * that is kept keeps its whole slab.
 */
export function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
