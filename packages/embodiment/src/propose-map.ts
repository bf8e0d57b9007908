/** A map to start from. It is a proposal: a person reads it, changes it, and keeps it. */
import type { Embodiment, EmbodimentJoint } from './embodiment.ts'
import { type Change, changeWords, plainChange, rangeOf } from './fit/ranges.ts'
import type { JointMap, MappedJoint } from './joint-map.ts'

export interface Proposal {
  readonly map: JointMap
  /** What is a guess and not said by both sides, one sentence each. */
  readonly guesses: readonly string[]
}

/** Case, signs between words, and what tools add to the name of a joint say nothing about which joint it is. */
export function plainName(name: string): string {
  const words = name
    .normalize('NFC')
    .replace(/([\p{Ll}\d])(?=\p{Lu})/gu, '$1_')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  while (words.length > 1 && added.has(words.at(-1) ?? '')) words.pop()
  while (words.length > 1 && leading.has(words[0] ?? '')) words.shift()
  return words.join('')
}

/** `elbow_flex.pos` of LeRobot, `elbow_joint` of URDFs, `main_elbow` and `joint_elbow` of older files. */
const added = new Set(['pos', 'position', 'joint', 'motor', 'qpos'])
const leading = new Set(['joint', 'main'])

const unchanged: Change = { sign: 1, scale: 1, offset: 0 }

/**
 * Joints by equal names, then by plain names where just one of each side has it; signs, degrees and zeros where the
 * ranges say so. What is left of the robot is held, what is left of the source is dropped.
 */
export function proposeMap(source: Embodiment, robot: Embodiment): Proposal {
  const guesses: string[] = []
  const ours = new Map(robot.joints.map((joint) => [joint.name, joint]))
  const taken = new Set(source.joints.filter(({ name }) => ours.has(name)).map(({ name }) => name))
  const [theirPlain, ourPlain] = [
    byPlainName(source.joints.filter(({ name }) => !taken.has(name))),
    byPlainName(robot.joints.filter(({ name }) => !taken.has(name))),
  ]
  const joints: MappedJoint[] = []
  const dropped: string[] = []
  for (const joint of source.joints) {
    const plain = plainName(joint.name)
    const alike =
      theirPlain.get(plain)?.length === 1 && ourPlain.get(plain)?.length === 1 ? ourPlain.get(plain)?.[0] : null
    const target = taken.has(joint.name) ? ours.get(joint.name) : alike
    if (!target) {
      dropped.push(joint.name)
      guesses.push(`${joint.name} is dropped: the robot has no joint of that name.`)
      continue
    }
    if (target.name !== joint.name) guesses.push(`${joint.name} is taken for ${target.name}, by its name.`)
    joints.push({ from: joint.name, to: target.name, ...changeOf(joint, target, guesses) })
  }
  const moved = new Set(joints.map(({ to }) => to))
  const held = robot.joints
    .filter(({ name }) => !moved.has(name))
    .map((joint) => ({ joint: joint.name, value: restOf(joint, robot.pose, guesses) }))
  return { map: { version: 1, joints, held, dropped }, guesses }
}

function byPlainName(joints: readonly EmbodimentJoint[]): ReadonlyMap<string, readonly EmbodimentJoint[]> {
  // Node 20 has no Map.groupBy.
  const found = new Map<string, EmbodimentJoint[]>()
  for (const joint of joints) {
    const name = plainName(joint.name)
    found.set(name, [...(found.get(name) ?? []), joint])
  }
  return found
}

function changeOf(joint: EmbodimentJoint, target: EmbodimentJoint, guesses: string[]): Change {
  if (joint.unit === null || target.unit === null)
    guesses.push(`${joint.name} is taken to be in the robot's unit; scale is ${Math.PI / 180} if it is in degrees.`)
  const [theirs, ours] = [rangeOf(joint), rangeOf(target)]
  const change = theirs && ours ? plainChange(theirs, ours) : null
  if (change) guesses.push(`${joint.name}: ${changeWords(change)}, which makes its range that of ${target.name}.`)
  return change ?? unchanged
}

/** The default pose, else the middle of the range, else zero. */
function restOf(joint: EmbodimentJoint, pose: Embodiment['pose'], guesses: string[]): number {
  const said = pose && Object.hasOwn(pose, joint.name) ? pose[joint.name] : undefined
  const range = rangeOf(joint)
  const zero = !range || (range.lower <= 0 && range.upper >= 0)
  const value = said ?? (zero || !range ? 0 : (range.lower + range.upper) / 2)
  const why = said === undefined ? (zero ? 'zero' : 'the middle of its range') : 'its default pose'
  guesses.push(`${joint.name} is held at ${value}, ${why}: nothing of the source moves it.`)
  return value
}
