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

/** The list of frames (`moov`) and its place, or in words why it is not read; null where the file has none. */
export async function listOfFrames(
  file: ByteFile,
): Promise<{ readonly start: number; readonly bytes: Uint8Array<ArrayBuffer> } | { readonly why: string } | null> {
  const boxes = await outerBoxes(file)
  if ('why' in boxes) return boxes
  const list = boxes.find(({ name }) => name === 'moov')
  if (!list) return null
  const bytes = list.end - list.start
  if (bytes > MOST_LIST_BYTES) return { why: `its list of frames has ${bytes} bytes, over ${MOST_LIST_BYTES}` }
  const read = new Uint8Array(await file.read(list.start, list.end))
  const why = impossibleFrames(read, file.sizeBytes)
  return why === null ? { start: list.start, bytes: read } : { why }
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

const STSZ = Uint8Array.of(0x73, 0x74, 0x73, 0x7a)
/** A size, a name, flags, the size of every frame, and how many there are; then a size for each. */
const HEAD_BYTES = 20

/**
 * In words where the list of frames says that all of them have one size, and the file has not so many bytes: then the
 * reader of boxes writes that size down billions of times. Null where it does not. It stands where its name does,
 * however boxes are in boxes.
 */
function impossibleFrames(list: Uint8Array, sizeBytes: number): string | null {
  const view = new DataView(list.buffer, list.byteOffset, list.byteLength)
  for (let at = list.indexOf(STSZ[0] as number); at >= 0; at = list.indexOf(STSZ[0] as number, at + 1)) {
    const start = at - 4
    if (start < 0 || start + HEAD_BYTES > list.length || !STSZ.every((byte, place) => list[at + place] === byte))
      continue
    const size = view.getUint32(start)
    const [bytes, frames] = [view.getUint32(start + 12), view.getUint32(start + 16)]
    const isBox = size >= HEAD_BYTES && start + size <= list.length
    if (isBox && bytes > 0 && bytes * frames > sizeBytes)
      return `its ${frames} frames of ${bytes} bytes are not in the file`
  }
  return null
}
