/** Pixels of a picture as an array that a device would send of it: its layout, its colors, its scale. Pure. */
import { NdArray } from '@hub/policy-server/wire/tensors'
import type { Picture } from './pictures.ts'

/** Red, green and blue in how bright people see them. */
const [RED, GREEN, BLUE] = [0.299, 0.587, 0.114]

/** `pixels`: red, green, blue and opacity of each, row by row from the top. */
export function pictureArray(picture: Picture, pixels: Uint8Array): NdArray {
  const { width, height, layout, color, numbers, input } = picture
  const [plane, channels] = [width * height, color === 'gray' ? 1 : 3]
  if (pixels.length !== 4 * plane)
    throw new Error(`The picture of ${JSON.stringify(picture.name)} has ${pixels.length} bytes, not ${4 * plane}.`)
  const array = numbers ? new Float32Array(channels * plane) : new Uint8Array(channels * plane)
  const [step, next] = layout === 'chw' ? [1, plane] : [channels, 1]
  for (let channel = 0; channel < channels; channel += 1) {
    const of = color === 'bgr' ? 2 - channel : channel
    const { scale, mean, std } = channelOf(numbers, channel)
    for (let pixel = 0; pixel < plane; pixel += 1) {
      const byte = color === 'gray' ? brightness(pixels, 4 * pixel) : (pixels[4 * pixel + of] ?? 0)
      array[pixel * step + channel * next] = (byte * scale - mean) / std
    }
  }
  const dims = layout === 'chw' ? [channels, height, width] : [height, width, channels]
  return new NdArray(
    numbers ? '<f4' : '|u1',
    input.shape.length === 4 ? [1, ...dims] : dims,
    new Uint8Array(array.buffer),
  )
}

const channelOf = (numbers: Picture['numbers'], channel: number) => ({
  scale: numbers?.scale ?? 1,
  mean: numbers?.mean[channel] ?? 0,
  std: numbers?.std[channel] ?? 1,
})

const brightness = (pixels: Uint8Array, at: number) =>
  Math.round(RED * (pixels[at] ?? 0) + GREEN * (pixels[at + 1] ?? 0) + BLUE * (pixels[at + 2] ?? 0))
