/** Small images, whole as far as a reader of their first bytes looks. */

export function png(width = 1, height = 1, size = 64): Buffer {
  const bytes = Buffer.alloc(Math.max(33, size))
  bytes.write('89504e470d0a1a0a0000000d49484452', 'hex')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

/** A PNG with a chunk of text, and then the one that tells how many frames it has. */
export function animatedPng(): Buffer {
  const chunk = (kind: string, length: number) => {
    const bytes = Buffer.alloc(length + 12)
    bytes.writeUInt32BE(length, 0)
    bytes.write(kind, 4)
    return bytes
  }
  return Buffer.concat([png().subarray(0, 33), chunk('tEXt', 5), chunk('acTL', 8), chunk('IDAT', 10)])
}

export function jpeg(width = 1, height = 1): Buffer {
  const start = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex')
  const frame = Buffer.from('ffc0001108000000000301220002110103110100', 'hex')
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([start, frame])
}

export function webp(width = 1, height = 1, features = 0): Buffer {
  const bytes = Buffer.alloc(40)
  bytes.write('RIFF', 0)
  bytes.write('WEBPVP8X', 8)
  bytes.writeUInt8(features, 20)
  bytes.writeUIntLE(width - 1, 24, 3)
  bytes.writeUIntLE(height - 1, 27, 3)
  return bytes
}

/** Without features: lossy, or lossless. */
export function plainWebp(kind: 'VP8 ' | 'VP8L', width: number, height: number): Buffer {
  const bytes = Buffer.alloc(40)
  bytes.write('RIFF', 0)
  bytes.write(`WEBP${kind}`, 8)
  if (kind === 'VP8L') {
    bytes.writeUInt8(0x2f, 20)
    bytes.writeUInt32LE((width - 1) | ((height - 1) << 14), 21)
    return bytes
  }
  bytes.writeUIntBE(0x9d012a, 23, 3)
  bytes.writeUInt16LE(width, 26)
  bytes.writeUInt16LE(height, 28)
  return bytes
}
