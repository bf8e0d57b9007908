/** Reads pixels of a PNG of 8 bits a channel. */
import { inflateSync } from 'node:zlib'

export interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green and blue, 0 to 255. */
  pixel(x: number, y: number): readonly [number, number, number]
}

const SIGNATURE = '89504e470d0a1a0a'

export function readPng(png: Uint8Array): Picture {
  const bytes = Buffer.from(png)
  if (bytes.toString('hex', 0, 8) !== SIGNATURE) throw new Error('This is not a PNG.')
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  const channels = bytes[25] === 6 ? 4 : 3
  const parts: Buffer[] = []
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)))
  const rows = unfiltered(inflateSync(Buffer.concat(parts)), width * channels, height, channels)
  return {
    width,
    height,
    pixel: (x, y) => {
      const at = (y * width + x) * channels
      return [rows[at] ?? 0, rows[at + 1] ?? 0, rows[at + 2] ?? 0]
    },
  }
}

function unfiltered(data: Buffer, stride: number, height: number, channels: number): Uint8Array {
  const rows = new Uint8Array(stride * height)
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (stride + 1)]
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x
      const left = x < channels ? 0 : (rows[at - channels] ?? 0)
      const up = y === 0 ? 0 : (rows[at - stride] ?? 0)
      const corner = y === 0 || x < channels ? 0 : (rows[at - stride - channels] ?? 0)
      const guess = [0, left, up, (left + up) >> 1, nearest(left, up, corner)][filter ?? 0] ?? 0
      rows[at] = (data[y * (stride + 1) + 1 + x] ?? 0) + guess
    }
  }
  return rows
}

function nearest(left: number, up: number, corner: number): number {
  const guess = left + up - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  return a <= b && a <= c ? left : b <= c ? up : corner
}
