/** A picture as the hub takes it: the middle square of an image, 256 pixels wide. */

const SIDE = 256
const MAX_BYTES = 256 * 1024

/** WebP is the smallest, and some browsers write PNG in its place; JPEG always fits. */
const forms: readonly (readonly [type: string, quality: number])[] = [
  ['image/webp', 0.9],
  ['image/jpeg', 0.85],
]

/** Base64 of the resized image. Throws for a file that the browser cannot show as an image. */
export async function smallPicture(file: Blob): Promise<string> {
  const image = await createImageBitmap(file).catch(() => {
    throw new Error('Your browser cannot read this file as an image. Choose a PNG, JPEG or WebP file.')
  })
  const canvas = document.createElement('canvas')
  canvas.width = SIDE
  canvas.height = SIDE
  const side = Math.min(image.width, image.height)
  const [left, top] = [(image.width - side) / 2, (image.height - side) / 2]
  canvas.getContext('2d')?.drawImage(image, left, top, side, side, 0, 0, SIDE, SIDE)
  image.close()
  for (const [type, quality] of forms) {
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, quality))
    if (blob && blob.size <= MAX_BYTES) return base64Of(blob)
  }
  throw new Error('The picture stays too large. Choose another one.')
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
