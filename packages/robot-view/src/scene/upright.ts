/** Rows of pixels as a graphics card gives them, the lowest first, from the top. Pure. */

/** `pixels`: four bytes of each. */
export function upright(pixels: Uint8Array, width: number, height: number): Uint8Array<ArrayBuffer> {
  const row = 4 * width
  const turned = new Uint8Array(row * height)
  for (let from = 0; from < height; from += 1)
    turned.set(pixels.subarray(row * from, row * (from + 1)), row * (height - 1 - from))
  return turned
}
