/** What the first bytes of an image say: its type and its size. Nothing is decoded. */

export type ImageType = 'png' | 'jpeg' | 'webp'

interface ImageFacts {
  readonly type: ImageType
  readonly width: number
  readonly height: number
}

/** The facts of a still image; null for anything else: another type, a movement, or bytes that end too early. */
export function imageFacts(bytes: Buffer): ImageFacts | null {
  return pngFacts(bytes) ?? jpegFacts(bytes) ?? webpFacts(bytes)
}

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/** The first chunk is the header, of 13 bytes. One that tells of a movement stands before the pixels. */
function pngFacts(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 33 || !bytes.subarray(0, PNG.length).equals(PNG)) return null
  for (let at = 33; at + 8 <= bytes.length; at += bytes.readUInt32BE(at) + 12) {
    const kind = bytes.toString('latin1', at + 4, at + 8)
    if (kind === 'acTL') return null
    if (kind === 'IDAT') break
  }
  return { type: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** Markers of a frame: C0 to CF, but for tables (C4, CC) and a reserved one (C8). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Segments follow each other, each with its length; the frame's has the size. */
function jpegFacts(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null
  let at = 2
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes.readUInt8(at + 1)
    if (isFrame(marker)) return { type: 'jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    const length = bytes.readUInt16BE(at + 2)
    // The scan comes after the frame; a segment counts its own length.
    if (marker === 0xda || length < 2) return null
    at += 2 + length
  }
  return null
}

const ANIMATED = 0x02

/** Lossy, lossless, or with features, of which movement is one. */
function webpFacts(bytes: Buffer): ImageFacts | null {
  const word = (at: number) => bytes.toString('latin1', at, at + 4)
  if (bytes.length < 30 || word(0) !== 'RIFF' || word(8) !== 'WEBP') return null
  const size = (width: number, height: number): ImageFacts => ({ type: 'webp', width, height })
  switch (word(12)) {
    case 'VP8 ':
      return bytes.readUIntBE(23, 3) === 0x9d012a
        ? size(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
        : null
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return bytes[20] === 0x2f ? size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1) : null
    }
    case 'VP8X':
      return (bytes.readUInt8(20) & ANIMATED) === 0
        ? size(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1)
        : null
    default:
      return null
  }
}
