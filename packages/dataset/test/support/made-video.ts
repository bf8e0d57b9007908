/** An MP4 file with a list of frames and bytes that are not pictures: what a container's reader looks at. */

const bytes = (...values: number[]) => Uint8Array.from(values)
const text = (value: string) => new TextEncoder().encode(value)

function numbers(...values: number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4))
  for (const [at, value] of values.entries()) view.setUint32(at * 4, value)
  return new Uint8Array(view.buffer)
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function box(name: string, ...content: readonly Uint8Array[]): Uint8Array {
  const inside = joined(...content)
  return joined(numbers(inside.length + 8), text(name), inside)
}

const matrix = numbers(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
const TIMESCALE = 12_800
const FRAME_BYTES = 24

/** Pictures that an encoder made, of 64 by 48. */
interface CodedFrames {
  readonly codec?: 'vp09' | 'av01' | 'avc1'
  /** Of H.264: what its decoder is set with. */
  readonly settings?: Uint8Array | null
  readonly samples: readonly { readonly isKey: boolean; readonly bytes: Uint8Array }[]
}

function settingsBox(coded: CodedFrames | null): Uint8Array {
  if (!coded || coded.codec === 'avc1') return box('avcC', coded?.settings ?? bytes(1, 66, 0, 10, 0xff, 0xe0, 0))
  if (coded.codec === 'av01') return box('av1C', bytes(0x81, 0, 0x0c, 0))
  return box('vpcC', numbers(0x1000000), bytes(0, 10, 0x82, 2, 2, 2, 0, 0))
}

/** `fps` of the track's own clock. `isFast`: the list of frames is before the frames. `coded`: one for each frame. */
export function madeVideo(frames: number, fps: number, isFast = false, coded: CodedFrames | null = null): Uint8Array {
  const step = Math.round(TIMESCALE / fps)
  const duration = frames * step
  const entry = box(
    coded ? (coded.codec ?? 'vp09') : 'avc1',
    joined(new Uint8Array(6), bytes(0, 1), new Uint8Array(16), bytes(0, 64, 0, 48)),
    joined(numbers(0x480000, 0x480000, 0), bytes(0, 1), new Uint8Array(32), bytes(0, 24, 0xff, 0xff)),
    settingsBox(coded),
  )
  const keys = (coded?.samples ?? []).flatMap(({ isKey }, at) => (isKey ? [at + 1] : []))
  const moov = (start: number) =>
    box(
      'moov',
      box(
        'mvhd',
        numbers(0, 0, 0, TIMESCALE, duration, 0x10000, 0x1000000, 0, 0),
        matrix,
        new Uint8Array(24),
        numbers(2),
      ),
      box(
        'trak',
        box('tkhd', numbers(3, 0, 0, 1, 0, duration, 0, 0, 0, 0), matrix, numbers(64 << 16, 48 << 16)),
        box(
          'mdia',
          box('mdhd', numbers(0, 0, 0, TIMESCALE, duration, 0x55c40000)),
          box('hdlr', numbers(0, 0), text('vide'), new Uint8Array(13)),
          box(
            'minf',
            box('vmhd', numbers(1, 0, 0)),
            box('dinf', box('dref', numbers(0, 1), box('url ', numbers(1)))),
            box(
              'stbl',
              box('stsd', numbers(0, 1), entry),
              box('stts', numbers(0, 1, frames, step)),
              box('stsc', numbers(0, 1, 1, frames, 1)),
              ...(coded
                ? [
                    box('stsz', numbers(0, 0, frames, ...coded.samples.map((one) => one.bytes.length))),
                    box('stss', numbers(0, keys.length, ...keys)),
                  ]
                : [box('stsz', numbers(0, FRAME_BYTES, frames))]),
              box('stco', numbers(0, 1, start)),
            ),
          ),
        ),
      ),
    )
  const type = box('ftyp', text('isom'), numbers(512), text('isomavc1'))
  const pictures = box(
    'mdat',
    ...(coded ? coded.samples.map((one) => one.bytes) : [new Uint8Array(frames * FRAME_BYTES).fill(7)]),
  )
  return isFast
    ? joined(type, moov(type.length + moov(0).length + 8), pictures)
    : joined(type, pictures, moov(type.length + 8))
}
