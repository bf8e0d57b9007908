/**
 * Decodes pictures with a browser's own decoder (WebCodecs): on the page that checks a data set, and in the Chromium of
 * a worker. To that it is sent as text, so it names nothing outside of itself.
 */
import type { CodedPictures, Decoded } from './pictures.ts'

type Run = CodedPictures['runs'][number]

/** Bytes may be in base64: another process is asked in JSON. */
export interface RunsToDecode extends Pick<CodedPictures, 'codec' | 'width' | 'height'> {
  readonly description: Uint8Array | string | null
  readonly runs: readonly (Pick<Run, 'frame' | 'wanted'> & {
    readonly chunks: readonly (Omit<Run['chunks'][number], 'bytes'> & { readonly bytes: Uint8Array | string })[]
  })[]
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

/** The first picture that does not decode is told. Needs a page with WebCodecs: of an address that is safe. */
export async function decodeRuns({ codec, description, width, height, runs }: RunsToDecode): Promise<Decoded> {
  const { VideoDecoder, EncodedVideoChunk, atob } = globalThis as unknown as Codecs
  const bytesOf = (bytes: Uint8Array | string) =>
    typeof bytes === 'string' ? Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0)) : bytes
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
