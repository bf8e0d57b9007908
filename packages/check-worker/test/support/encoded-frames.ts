/** Pictures as an encoder of video makes them, in a page of Chromium. */
import type { Page } from 'playwright-core'

interface Chunk {
  readonly type: string
  readonly byteLength: number
  copyTo(into: Uint8Array): void
}

/** What is used of WebCodecs. */
interface Encoding {
  readonly VideoEncoder: {
    isConfigSupported(config: object): Promise<{ readonly supported?: boolean }>
    new (handlers: {
      output(chunk: Chunk, about?: { readonly decoderConfig?: { readonly description?: ArrayBuffer } }): void
      error(error: Error): void
    }): { configure(config: object): void; encode(frame: object, options: object): void; flush(): Promise<void> }
  }
  readonly VideoFrame: new (data: Uint8Array, init: object) => { close(): void }
  btoa(text: string): string
}

const configs = { vp09: 'vp09.00.10.08', av01: 'av01.0.00M.08', avc1: 'avc1.42001e' } as const

/** As a maker of MP4 files takes them. */
export interface EncodedFrames {
  readonly codec: keyof typeof configs
  readonly settings: Uint8Array | null
  readonly samples: readonly { readonly isKey: boolean; readonly bytes: Uint8Array }[]
}

/** A key frame each fourth one, in 64 by 48. Null where the browser has no encoder of that. */
export async function encodedFrames(
  page: Page,
  codec: EncodedFrames['codec'],
  count: number,
): Promise<EncodedFrames | null> {
  const made = await page.evaluate(
    async ([name, frames]) => {
      const { VideoEncoder, VideoFrame, btoa } = globalThis as unknown as Encoding
      const config = { codec: name, width: 64, height: 48, framerate: 20, latencyMode: 'realtime' }
      if (!(await VideoEncoder.isConfigSupported(config)).supported) return null
      const chunks: { isKey: boolean; text: string }[] = []
      const told: { error: Error | null; settings: string | null } = { error: null, settings: null }
      const text = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))
      const encoder = new VideoEncoder({
        output(chunk, about) {
          const bytes = new Uint8Array(chunk.byteLength)
          chunk.copyTo(bytes)
          chunks.push({ isKey: chunk.type === 'key', text: text(bytes) })
          const settings = about?.decoderConfig?.description
          if (settings) told.settings = text(new Uint8Array(settings))
        },
        error(error) {
          told.error = error
        },
      })
      encoder.configure(config)
      for (let at = 0; at < frames; at += 1) {
        const pixels = Uint8Array.from({ length: 64 * 48 * 4 }, (_, place) => (place * (at + 3)) % 251)
        const init = { format: 'RGBX', codedWidth: 64, codedHeight: 48, timestamp: at * 50_000 }
        const frame = new VideoFrame(pixels, init)
        encoder.encode(frame, { keyFrame: at % 4 === 0 })
        frame.close()
      }
      await encoder.flush()
      if (told.error) throw told.error
      return { chunks, settings: told.settings }
    },
    [configs[codec], count] as const,
  )
  if (made === null) return null
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'))
  return {
    ...{ codec, settings: made.settings === null ? null : bytes(made.settings) },
    samples: made.chunks.map(({ isKey, text }) => ({ isKey, bytes: bytes(text) })),
  }
}
