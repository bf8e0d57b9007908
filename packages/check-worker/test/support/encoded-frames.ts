/** Pictures as an encoder of video makes them: VP9 in a page of Chromium. */
import type { Page } from 'playwright-core'

interface Encoding {
  readonly VideoEncoder: new (handlers: {
    output(chunk: { readonly type: string; readonly byteLength: number; copyTo(into: Uint8Array): void }): void
    error(error: Error): void
  }) => { configure(config: object): void; encode(frame: object, options: object): void; flush(): Promise<void> }
  readonly VideoFrame: new (data: Uint8Array, init: object) => { close(): void }
  btoa(text: string): string
}

/** A key frame each fourth one, in 64 by 48. */
export async function encodedFrames(page: Page, count: number) {
  const made = await page.evaluate(async (frames) => {
    const { VideoEncoder, VideoFrame, btoa } = globalThis as unknown as Encoding
    const chunks: { isKey: boolean; text: string }[] = []
    const failed: { error: Error | null } = { error: null }
    const encoder = new VideoEncoder({
      output(chunk) {
        const bytes = new Uint8Array(chunk.byteLength)
        chunk.copyTo(bytes)
        chunks.push({ isKey: chunk.type === 'key', text: btoa(String.fromCharCode(...bytes)) })
      },
      error(error) {
        failed.error = error
      },
    })
    encoder.configure({ codec: 'vp09.00.10.08', width: 64, height: 48, framerate: 20, latencyMode: 'realtime' })
    for (let at = 0; at < frames; at += 1) {
      const pixels = Uint8Array.from({ length: 64 * 48 * 4 }, (_, place) => (place * (at + 3)) % 251)
      const init = { format: 'RGBX', codedWidth: 64, codedHeight: 48, timestamp: at * 50_000 }
      const frame = new VideoFrame(pixels, init)
      encoder.encode(frame, { keyFrame: at % 4 === 0 })
      frame.close()
    }
    await encoder.flush()
    if (failed.error) throw failed.error
    return chunks
  }, count)
  return made.map(({ isKey, text }) => ({ isKey, bytes: new Uint8Array(Buffer.from(text, 'base64')) }))
}
