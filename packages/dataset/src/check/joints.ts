/** Whether the joints of an episode move as joints do: within the robot's limits, without jumps, and at all. Pure. */
import { type NumberFeature, placeOf } from './description.ts'
import type { Column, EpisodeRows } from './episode-rows.ts'
import type { FindingList } from './finding.ts'
import { quantile } from './frames.ts'
import { momentsOf } from './moments.ts'

/** The range of a joint, in radians or metres; null where it has no limit. */
interface JointLimit {
  readonly lower: number | null
  readonly upper: number | null
  /** Of the data set's unit in one radian or metre: `180 / pi` for a hinge in degrees. 1 by default. */
  readonly perUnit?: number
}

/** By the names of joints in the data set. */
export type JointLimits = ReadonlyMap<string, JointLimit>

/** Columns of positions. Speeds and torques jump, and are not positions. */
const positions = /^observation\.(state|qpos|joint_pos\w*)(\.|$)/
const noPosition = /[._](vel|velocity|effort|torque|current|temperature)$/i

/** Whether the numbers of a column are positions of joints, as recorded. */
export const isState = ({ name }: NumberFeature): boolean => positions.test(name)

/** LeRobot's robots add `.pos` to the names of their motors. */
const jointOf = (label: string) => label.replace(/\.pos$/, '')

/** Fewer frames say nothing of how a joint moves. */
const FEWEST_FRAMES = 12

/** Each joint is told once an episode, at its first wrong frame. */
export function checkJoints(rows: EpisodeRows, episode: number, limits: JointLimits, findings: FindingList): void {
  for (const column of rows.columns.values()) {
    if (!isState(column.feature)) continue
    for (const [joint, label] of column.feature.labels.entries()) {
      if (noPosition.test(label)) continue
      const one = { column, joint, label, episode, place: placeOf(column.feature, joint) }
      checkLimit(one, limits, findings)
      if (rows.frames < FEWEST_FRAMES) continue
      checkJump(one, findings)
      checkDead(one, rows, findings)
    }
  }
}

interface OneJoint {
  readonly column: Column
  readonly joint: number
  readonly label: string
  readonly episode: number
  readonly place: string
}

/** A position of a sensor, in radians or metres: it may be a little past a stop. */
const PAST_A_STOP = 1e-3

function checkLimit({ column, joint, label, episode, place }: OneJoint, limits: JointLimits, findings: FindingList) {
  const limit = limits.get(label) ?? limits.get(jointOf(label))
  if (!limit) return
  const { perUnit = 1 } = limit
  const lower = perUnit * ((limit.lower ?? Number.NEGATIVE_INFINITY) - PAST_A_STOP)
  const upper = perUnit * ((limit.upper ?? Number.POSITIVE_INFINITY) + PAST_A_STOP)
  const outside = indexesOf(one(column, joint), (value) => value < lower || value > upper)
  const [frame] = outside
  if (frame === undefined) return
  const value = one(column, joint)[frame] ?? 0
  const told = (bound: number | null) => String(Number(((bound ?? 0) * perUnit).toPrecision(5)))
  const bound = value > upper ? `above ${told(limit.upper)}` : `below ${told(limit.lower)}`
  const more = outside.length > 1 ? ` In ${outside.length} frames of the episode.` : ''
  findings.add('joint_limit', place, `${value.toPrecision(5)} is ${bound}, the limit of the robot.${more}`, {
    episode,
    frame,
    joint: label,
  })
}

const one = ({ feature, values }: Column, joint: number) =>
  Float64Array.from({ length: values.length / feature.width }, (_, frame) => values[frame * feature.width + joint] ?? 0)

function indexesOf(values: Float64Array, isIt: (value: number) => boolean): number[] {
  const found: number[] = []
  for (const [at, value] of values.entries()) if (isIt(value)) found.push(at)
  return found
}

/** A step is a jump that is half of all that the joint moves, and eight times what its large steps are. */
const HALF = 0.5
const TIMES = 8
/** A joint that moves by less in all stands still: a simulation rounds, and leaves numbers of 1e-35. */
const ROUNDING = 1e-6

function checkJump({ column, joint, label, episode, place }: OneJoint, findings: FindingList): void {
  const values = one(column, joint)
  const steps = Float64Array.from({ length: values.length - 1 }, (_, at) =>
    Math.abs((values[at + 1] ?? 0) - (values[at] ?? 0)),
  )
  const { min, max } = momentsOf(values)
  if (max - min < ROUNDING) return
  // A switch has only steps of its whole range, and is still in between.
  const large = quantile(steps, 0.9) ?? 0
  if (large === 0) return
  const at = steps.findIndex((step) => step >= HALF * (max - min) && step >= TIMES * large)
  if (at < 0) return
  const [before, after] = [values[at] ?? 0, values[at + 1] ?? 0]
  const detail = `goes from ${before.toPrecision(4)} to ${after.toPrecision(4)} in one frame`
  findings.add('jump', place, detail, { episode, frame: at + 1, joint: label })
}

/** Of the action for it, in its unit: less is noise. */
const MOVED = 0.02

/** A joint that stands still while its action moves. One that never moves is told of the whole data set. */
function checkDead({ column, joint, label, episode, place }: OneJoint, rows: EpisodeRows, findings: FindingList): void {
  const state = momentsOf(column.values, joint, column.feature.width)
  const action = rows.columns.get('action')
  const same = action?.feature.labels.indexOf(label) ?? -1
  if (!action || same < 0 || state.max !== state.min) return
  const told = momentsOf(action.values, same, action.feature.width)
  if (told.max - told.min <= MOVED) return
  const detail = `stays at ${state.min.toPrecision(4)} while its action moves by ${(told.max - told.min).toPrecision(3)}`
  findings.add('dead_joint', place, detail, { episode, frame: 0, joint: label })
}
