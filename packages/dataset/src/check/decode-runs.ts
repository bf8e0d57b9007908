/** Decodes pictures in a page of Chromium. It is sent there as text: it names nothing outside of itself. */
import type { Decoded } from '@hub/dataset/pictures'

/** Bytes in base64: a page is asked in JSON. */
export interface PagePictures {
  readonly codec: string
  readonly description: string | null
  readonly width: number
  readonly height: number
  readonly runs: readonly {
    readonly frame: number
    readonly wanted: number
    readonly chunks: readonly { readonly isKey: boolean; readonly timestamp: number; readonly bytes: string }[]
  }[]
}

/** What is used of WebCodecs: the types of a page are not those of a worker. */
interface Codecs {
  readonly VideoDecoder: {
    new (handlers: {
      output(picture: Picture): void
      error(error: Error): void
    }): {
      configure(config: object): void
      decode(chunk: object): void
      flush(): Promise<void>
      close(): void
    }
    isConfigSupported(config: object): Promise<{ readonly supported?: boolean }>
  }
  readonly EncodedVideoChunk: new (init: object) => object
  atob(text: string): string
}

interface Picture {
  readonly timestamp: number
  readonly codedWidth: number
  close(): void
}

/** The first picture that does not decode is told. */
export async function decodeInPage({ codec, description, width, height, runs }: PagePictures): Promise<Decoded> {
  const { VideoDecoder, EncodedVideoChunk, atob } = globalThis as unknown as Codecs
  const bytesOf = (text: string) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0))
  const config = {
    ...{ codec, codedWidth: width, codedHeight: height, hardwareAcceleration: 'prefer-software' },
    ...(description === null ? {} : { description: bytesOf(description) }),
  }
  const isKnown = await VideoDecoder.isConfigSupported(config).then(
    ({ supported }) => supported === true,
    () => false,
  )
  if (!isKnown) return { is: 'skipped', why: `this browser does not decode ${codec}` }
  for (const { frame, wanted, chunks } of runs) {
    const why = await new Promise<string | null>((resolve) => {
      let isShown = false
      const decoder = new VideoDecoder({
        output(picture) {
          isShown ||= picture.timestamp === wanted && picture.codedWidth > 0
          picture.close()
        },
        error: (error) => resolve(error.message),
      })
      const work = async () => {
        decoder.configure(config)
        for (const { isKey, timestamp, bytes } of chunks)
          decoder.decode(new EncodedVideoChunk({ type: isKey ? 'key' : 'delta', timestamp, data: bytesOf(bytes) }))
        await decoder.flush()
        decoder.close()
        resolve(isShown ? null : 'the decoder makes no picture of it')
      }
      work().catch((error: unknown) => resolve(error instanceof Error ? error.message : 'it cannot be decoded'))
    })
    if (why !== null) return { is: 'fault', frame, why }
  }
  return { is: 'decoded' }
}
