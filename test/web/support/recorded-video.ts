import type { Page } from '@hub/testing/browser'

/**
 * Some seconds of a moving square: Chromium records it, since no encoder of MP4 is at hand. The name of the file stays
 * what the dataset says.
 */
export async function recorded(page: Page): Promise<Uint8Array> {
  const text = await page.evaluate<string>(`(async () => {
    const canvas = document.createElement('canvas')
    canvas.width = 64; canvas.height = 48
    const draw = canvas.getContext('2d')
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm;codecs=vp8' })
    const parts = []
    recorder.ondataavailable = ({ data }) => parts.push(data)
    const ended = new Promise((resolve) => { recorder.onstop = resolve })
    recorder.start()
    const began = performance.now()
    await new Promise((resolve) => {
      const next = () => {
        const at = performance.now() - began
        draw.fillStyle = '#123'; draw.fillRect(0, 0, 64, 48)
        draw.fillStyle = '#fc3'; draw.fillRect((at / 50) % 64, 16, 12, 12)
        if (at > 3500) resolve(); else requestAnimationFrame(next)
      }
      next()
    })
    recorder.stop()
    await ended
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  })()`)
  return Buffer.from(text, 'base64')
}

/** Whether bytes are a WebM with pictures: a recorder that was stopped too early leaves a head of EBML alone. */
export const hasPictures = (film: Buffer | undefined): boolean =>
  film?.subarray(0, 4).toString('hex') === '1a45dfa3' && film.includes(Buffer.from('1f43b675', 'hex'))
