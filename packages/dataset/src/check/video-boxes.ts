/** The boxes of an MP4 file before its reader takes them: few bytes may claim billions of frames. */
import type { ByteFile } from '../parquet.ts'

/** One box of the file, with its head. */
interface OuterBox {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Each is a read of its own. A recording in fragments of a second has two for each: 10 hours have 72,000. */
const MOST_BOXES = 100_000

/** The list of frames of 5,000,000 has some 100 MB. */
const MOST_LIST_BYTES = 128 * 1024 * 1024

/** The list of frames of a file (`moov`). */
interface FrameList {
  readonly bytes: ArrayBuffer
  /** Whether the file says more of its frames outside of it (`moof`). */
  readonly isInFragments: boolean
}

/** The list of frames, or in words why it is not read. */
export async function listOfFrames(file: ByteFile): Promise<FrameList | { readonly why: string }> {
  const boxes = await outerBoxes(file)
  if ('why' in boxes) return boxes
  const list = boxes.find(({ name }) => name === 'moov')
  if (!list) return { why: 'it has no list of its frames (a box "moov"): its recording did not end' }
  const bytes = list.end - list.start
  if (bytes > MOST_LIST_BYTES) return { why: `its list of frames has ${bytes} bytes, over ${MOST_LIST_BYTES}` }
  const read = await file.read(list.start, list.end)
  const why = impossibleFrames(new Uint8Array(read), file.sizeBytes)
  return why === null ? { bytes: read, isInFragments: boxes.some(({ name }) => name === 'moof') } : { why }
}

/** In words where the outermost boxes do not end where the file does: it was cut. */
async function outerBoxes(file: ByteFile): Promise<OuterBox[] | { readonly why: string }> {
  const { sizeBytes } = file
  const boxes: OuterBox[] = []
  const cutAt = (end: number) => ({ why: `its bytes end at ${sizeBytes}, and should at ${end}: it was cut` })
  let start = 0
  while (start + 8 <= sizeBytes) {
    if (boxes.length === MOST_BOXES) return { why: `it has more than ${MOST_BOXES} boxes` }
    const head = new DataView(await file.read(start, Math.min(sizeBytes, start + 16)))
    const short = head.getUint32(0)
    // 1: the size is in the 8 bytes behind the name; 0: the box goes to the end of the file.
    const told = short === 1 && head.byteLength === 16 ? Number(head.getBigUint64(8)) : short
    const size = told === 0 ? sizeBytes - start : told
    if (size < 8) return cutAt(start + size)
    boxes.push({ name: nameAt(head, 4), start, end: Math.min(start + size, sizeBytes) })
    start += size
  }
  return start === sizeBytes ? boxes : cutAt(start)
}

const nameAt = (view: DataView, at: number) => String.fromCharCode(...[0, 1, 2, 3].map((n) => view.getUint8(at + n)))

const STSZ = 'stsz'
/** A size, a name, flags, the size of every frame, and how many there are; then a size for each. */
const HEAD_BYTES = 20

/**
 * In words where the list of frames says that all of them have one size, and the file has not so many bytes: then the
 * reader of boxes writes that size down billions of times. Null where it does not.
 */
function impossibleFrames(list: Uint8Array, sizeBytes: number): string | null {
  const view = new DataView(list.buffer, list.byteOffset, list.byteLength)
  for (const start of boxesNamed(list, STSZ, HEAD_BYTES)) {
    const size = view.getUint32(start)
    const [bytes, frames] = [view.getUint32(start + 12), view.getUint32(start + 16)]
    const isBox = size >= HEAD_BYTES && start + size <= list.length
    if (isBox && bytes > 0 && bytes * frames > sizeBytes) return notInFile(frames, bytes)
  }
  return null
}

const notInFile = (frames: number, bytes: number) => `its ${frames} frames of ${bytes} bytes are not in the file`

const TRUN = 'trun'
/** A size, a name, flags, and how many frames there are. */
const RUN_BYTES = 16
/** Of a place and of the flags of the first frame, which stand behind that; of what each frame has. */
const [PLACE, FIRST, EACH] = [0x1, 0x4, 0xf00]

/**
 * Looks through the parts of a file, in order: in words where runs of frames (`trun`) that say nothing of each frame
 * have more of them than the file has bytes. Null where they do not.
 */
export function runCounter(sizeBytes: number): (start: number, part: Uint8Array) => string | null {
  let frames = 0
  let [end, tail] = [0, new Uint8Array(0)]
  return (start, part) => {
    // A box may begin in the part before.
    const bytes = start === end ? joined(tail, part) : part
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (const at of boxesNamed(bytes, TRUN, RUN_BYTES)) {
      const flags = view.getUint32(at + 8)
      const head = RUN_BYTES + (flags & PLACE ? 4 : 0) + (flags & FIRST ? 4 : 0)
      if ((flags & EACH) === 0 && view.getUint32(at) === head) frames += view.getUint32(at + 12)
    }
    end = start + part.length
    tail = part.slice(-(RUN_BYTES - 1))
    return frames > sizeBytes ? notInFile(frames, 1) : null
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const made = new Uint8Array(first.length + second.length)
  made.set(first)
  made.set(second, first.length)
  return made
}

/** Where boxes of a name may begin with their heads within the bytes, however boxes are in boxes. */
function* boxesNamed(bytes: Uint8Array, name: string, headBytes: number): Generator<number> {
  const letters = new TextEncoder().encode(name)
  const first = letters[0] ?? 0
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    const start = at - 4
    if (start >= 0 && start + headBytes <= bytes.length && letters.every((byte, place) => bytes[at + place] === byte))
      yield start
  }
}
