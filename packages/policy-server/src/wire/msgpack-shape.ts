/**
 * The structure of MessagePack bytes, before they are decoded. A list of three bytes may claim 65,535 elements, and the
 * decoder makes room for them at once: so what all lists and maps of a frame claim together has to fit into its bytes,
 * of which each element takes at least one.
 */
import { FrameFault } from './frame-fault.ts'

const MAX_DEPTH = 16

/**
 * Throws a `FrameFault` for a frame that is cut off, too deep, continues after its value, or claims more than it has.
 */
export function assertSound(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  /** Values still to come, by depth. */
  const open = [1]
  let [at, claimed] = [0, 0]
  while (open.length > 0) {
    const last = open.length - 1
    if (open[last] === 0) {
      open.pop()
      continue
    }
    open[last] = (open[last] ?? 0) - 1
    if (at >= bytes.length) throw cutOff()
    const { next, members } = valueAt(view, at)
    if (next > bytes.length) throw cutOff()
    at = next
    if (members === 0) continue
    claimed += members
    if (claimed > bytes.length) throw new FrameFault('The frame claims more elements than it has.')
    open.push(members)
    if (open.length > MAX_DEPTH) throw new FrameFault(`The frame is more than ${MAX_DEPTH} levels deep.`)
  }
  if (at !== bytes.length) throw new FrameFault('The frame goes on after its value.')
}

const cutOff = () => new FrameFault('The frame ends in the middle of a value.')

interface Value {
  /** Where what follows its head (and its bytes) begins. */
  readonly next: number
  /** Values within. */
  readonly members: number
}

/** Bytes after the first one, of values without a length: floats, whole numbers, fixed extensions. */
const fixedBytes: Readonly<Record<number, number>> = {
  ...{ 202: 4, 203: 8, 204: 1, 205: 2, 206: 4, 207: 8, 208: 1, 209: 2, 210: 4, 211: 8 },
  ...{ 212: 2, 213: 3, 214: 5, 215: 9, 216: 17 },
}

function valueAt(view: DataView, at: number): Value {
  const head = view.getUint8(at)
  if (head < 0x80 || head >= 0xe0 || head === 0xc0 || head === 0xc2 || head === 0xc3)
    return { next: at + 1, members: 0 }
  if (head < 0x90) return { next: at + 1, members: 2 * (head & 0x0f) }
  if (head < 0xa0) return { next: at + 1, members: head & 0x0f }
  if (head < 0xc0) return { next: at + 1 + (head & 0x1f), members: 0 }
  const fixed = fixedBytes[head]
  if (fixed !== undefined) return { next: at + 1 + fixed, members: 0 }
  const [width, rest, members] = sized(head)
  if (at + 1 + width > view.byteLength) throw cutOff()
  const length = width === 1 ? view.getUint8(at + 1) : width === 2 ? view.getUint16(at + 1) : view.getUint32(at + 1)
  const next = at + 1 + width
  return members > 0 ? { next, members: members * length } : { next: next + rest + length, members: 0 }
}

/** The bytes of its length, bytes before its content, and values within for each of the length. */
function sized(head: number): readonly [width: number, rest: number, members: number] {
  if (head >= 0xc4 && head <= 0xc6) return [2 ** (head - 0xc4), 0, 0]
  if (head >= 0xc7 && head <= 0xc9) return [2 ** (head - 0xc7), 1, 0]
  if (head >= 0xd9 && head <= 0xdb) return [2 ** (head - 0xd9), 0, 0]
  if (head === 0xdc || head === 0xdd) return [head === 0xdc ? 2 : 4, 0, 1]
  if (head === 0xde || head === 0xdf) return [head === 0xde ? 2 : 4, 0, 2]
  throw new FrameFault('The frame is not MessagePack.')
}
