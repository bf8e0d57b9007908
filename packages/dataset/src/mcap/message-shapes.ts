/** Messages of an MCAP file that are known, out of whatever their decoder made of them. Pure. */
import { objectOf } from '@hub/embodiment/json'

/** One message of a robot's joints. */
export interface JointMessage {
  readonly names: readonly string[]
  readonly position: ArrayLike<number>
  readonly velocity: ArrayLike<number>
  readonly effort: ArrayLike<number>
  /** Seconds of the clock that measured them; null where it did not say. */
  readonly stamp: number | null
}

/** One compressed picture. */
export interface PictureMessage {
  /** Its media type, as its first bytes say. */
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Null for what is no `sensor_msgs/JointState`. */
export function jointMessage(value: unknown): JointMessage | null {
  const { name, position, velocity, effort, header } = objectOf(value)
  if (!Array.isArray(name) || !name.every((one) => typeof one === 'string')) return null
  const stamp = objectOf(objectOf(header).stamp)
  const seconds = Number(stamp.sec) + Number(stamp.nanosec ?? stamp.nsec ?? 0) / 1e9
  return {
    names: name,
    position: numbersOf(position),
    velocity: numbersOf(velocity),
    effort: numbersOf(effort),
    // A driver that has no clock writes zeros.
    stamp: Number.isFinite(seconds) && seconds > 0 ? seconds : null,
  }
}

/** Null for what is no compressed picture that a page draws. */
export function pictureMessage(value: unknown): PictureMessage | null {
  const { data } = objectOf(value)
  const bytes = typeof data === 'string' ? ofBase64(data) : ArrayBuffer.isView(data) ? bytesOf(data) : null
  const type = bytes && typeOf(bytes)
  return bytes && type ? { type, bytes } : null
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  new Uint8Array(new Uint8Array(buffer, byteOffset, byteLength))

function ofBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return null
  }
}

const signatures = [
  ['image/jpeg', 0, [0xff, 0xd8, 0xff]],
  ['image/png', 0, [0x89, 0x50, 0x4e, 0x47]],
  ['image/webp', 8, [0x57, 0x45, 0x42, 0x50]],
] as const

/** What `format` says is free text: `rgb8; jpeg compressed bgr8`. */
const typeOf = (bytes: Uint8Array): string | null =>
  signatures.find(([, from, sign]) => sign.every((byte, at) => bytes[from + at] === byte))?.[0] ?? null

/** Other things than numbers are none: NaN. */
function numbersOf(value: unknown): ArrayLike<number> {
  if (value instanceof Float64Array || value instanceof Float32Array) return value
  return Array.isArray(value) ? value.map((one) => (typeof one === 'number' ? one : Number.NaN)) : []
}
