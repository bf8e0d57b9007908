/** The smallest files that MuJoCo decodes. */
import { crc32, deflateSync } from 'node:zlib'

/** A binary STL file: a tetrahedron. */
export function tetrahedron(): Uint8Array {
  const corners = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ] as const
  const faces = [
    [0, 2, 1],
    [0, 1, 3],
    [0, 3, 2],
    [1, 2, 3],
  ] as const
  const file = Buffer.alloc(84 + faces.length * 50)
  file.writeUInt32LE(faces.length, 80)
  faces.forEach((face, at) => {
    const values = [0, 0, 0, ...face.flatMap((corner) => corners[corner])]
    values.forEach((value, index) => void file.writeFloatLE(value, 84 + at * 50 + index * 4))
  })
  return file
}

/** A grey PNG of `width` by `height` that gets lighter from pixel to pixel. */
export function greyPng(width: number, height: number): Uint8Array {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const row = (y: number) => [0, ...Array.from({ length: width }, (_, x) => (y * width + x) % 256)]
  const pixels = Buffer.from(Array.from({ length: height }, (_, y) => row(y)).flat())
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([signature, ...chunks])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
