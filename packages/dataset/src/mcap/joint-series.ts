/** The messages of joints as a table: a row a message, a column a joint. Pure. */
import type { JointMessage } from './message-shapes.ts'

/** The motion of one topic. */
export interface JointSeries {
  readonly topic: string
  /** In the order in which they first came. */
  readonly names: readonly string[]
  /** When each message was recorded, in ns. */
  readonly times: BigInt64Array
  /** When each was measured, in s; NaN where its message does not say. */
  readonly stamps: Float64Array
  /** One row after the other. A joint that a message leaves out keeps its number; before its first one it is NaN. */
  readonly position: Float64Array
  /** As `position`; empty where no message has any. */
  readonly velocity: Float64Array
  readonly effort: Float64Array
  /** Joints after the first 128, which are not read: the first 128 of these. */
  readonly moreJoints: readonly string[]
  /** Whether the file has no more of it. */
  readonly isWhole: boolean
}

/** As wide as a plot can be: a humanoid with both hands has some 60 joints. */
export const MOST_JOINTS = 128

/** An hour at 50 messages a second. */
const MOST_MESSAGES = 200_000
/** Of positions alone. */
const MOST_NUMBERS = 4_000_000

/** Adds up the messages of a topic. */
export function jointSeries(topic: string) {
  const places = new Map<string, number>()
  /** Of further joints as many names as are worth telling. */
  const others = new Set<string>()
  const times: bigint[] = []
  const stamps: number[] = []
  const parts = { position: [] as Float64Array[], velocity: [] as Float64Array[], effort: [] as Float64Array[] }
  const last = {
    position: new Float64Array(MOST_JOINTS).fill(Number.NaN),
    velocity: new Float64Array(MOST_JOINTS).fill(Number.NaN),
    effort: new Float64Array(MOST_JOINTS).fill(Number.NaN),
  }
  let isCut = false
  const has = { position: false, velocity: false, effort: false }
  const table = (rows: readonly Float64Array[]) => {
    const values = new Float64Array(rows.length * places.size).fill(Number.NaN)
    for (const [at, row] of rows.entries()) values.set(row, at * places.size)
    return values
  }
  return {
    /** False where no more are taken. */
    add(time: bigint, message: JointMessage): boolean {
      if (times.length >= MOST_MESSAGES || times.length * places.size >= MOST_NUMBERS) {
        isCut = true
        return false
      }
      for (const name of message.names) {
        if (places.has(name)) continue
        if (places.size < MOST_JOINTS) places.set(name, places.size)
        else if (others.size < MOST_JOINTS) others.add(name)
      }
      times.push(time)
      stamps.push(message.stamp ?? Number.NaN)
      for (const part of ['position', 'velocity', 'effort'] as const) {
        const said = message[part]
        for (const [at, name] of message.names.entries()) {
          const [place, value] = [places.get(name), said[at]]
          if (place === undefined || value === undefined) continue
          last[part][place] = value
          has[part] = true
        }
        parts[part].push(last[part].slice(0, places.size))
      }
      return true
    },
    /** `isRead`: the file was read to its end. */
    done: (isRead: boolean): JointSeries => ({
      topic,
      names: [...places.keys()],
      times: BigInt64Array.from(times),
      stamps: Float64Array.from(stamps),
      position: table(parts.position),
      velocity: has.velocity ? table(parts.velocity) : new Float64Array(),
      effort: has.effort ? table(parts.effort) : new Float64Array(),
      moreJoints: [...others],
      isWhole: isRead && !isCut,
    }),
  }
}
