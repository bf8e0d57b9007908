/** Messages of an MCAP file that are known, out of whatever their decoder made of them. Pure. */
import { objectOf } from '@hub/embodiment/json'

/** One message of a robot's joints. */
export interface JointMessage {
  readonly names: readonly string[]
  /** By the joints of `names`; it may be shorter, and undefined is a joint that the message does not tell. */
  readonly position: ArrayLike<number | undefined>
  /** As `position`. */
  readonly velocity: ArrayLike<number | undefined>
  readonly effort: ArrayLike<number | undefined>
  /** Seconds of the clock that measured them; null where it did not say. */
  readonly stamp: number | null
}

/** One compressed picture. */
export interface PictureMessage {
  /** Its media type, as its first bytes say. */
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Of `sensor_msgs/JointState`, with lists beside one another, or `foxglove.JointStates`; null for anything else. */
export function jointMessage(value: unknown): JointMessage | null {
  const { header, timestamp, ...message } = objectOf(value)
  const { name, position, velocity, effort } = Array.isArray(message.joints) ? columnsOf(message.joints) : message
  if (!Array.isArray(name) || !name.every((one) => typeof one === 'string')) return null
  return {
    names: name,
    position: numbersOf(position),
    velocity: numbersOf(velocity),
    effort: numbersOf(effort),
    stamp: secondsOf(objectOf(header).stamp ?? timestamp),
  }
}

/** A joint of `foxglove.JointStates` may tell its speed and not its place: what is not told stays undefined. */
function columnsOf(joints: readonly unknown[]) {
  const each = (part: string) => joints.map((joint) => objectOf(joint)[part])
  return { name: each('name'), position: each('position'), velocity: each('velocity'), effort: each('effort') }
}

/** As ROS writes it, its bridges to JSON do, and Protocol Buffers. A driver that has no clock writes zeros: null. */
function secondsOf(stamp: unknown): number | null {
  const { sec, secs, seconds, nsec, nsecs, nanosec, nanos } = objectOf(stamp)
  const time = Number(sec ?? secs ?? seconds) + Number(nanosec ?? nsec ?? nsecs ?? nanos ?? 0) / 1e9
  return Number.isFinite(time) && time > 0 ? time : null
}

/** Null for what is not a compressed picture that a page draws. */
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
function numbersOf(value: unknown): ArrayLike<number | undefined> {
  if (value instanceof Float64Array || value instanceof Float32Array) return value
  const numberOf = (one: unknown) => (typeof one === 'number' || one === undefined ? one : Number.NaN)
  return Array.isArray(value) ? value.map(numberOf) : []
}
