/** An MCAP file as an episode: what was measured, what was asked for at that time, and the pictures beside it. */
import { type JointSeries, MOST_JOINTS } from './joint-series.ts'
import type { McapFile } from './open-mcap.ts'
import type { McapTopic } from './topics.ts'

/** Joints by a row for each message of the state. */
export interface McapEpisode {
  /** When each row was recorded, in ns. */
  readonly times: BigInt64Array
  /** From the first row, in s. */
  readonly seconds: Float64Array
  /** Whether a topic has joints, with messages or without. */
  readonly hasJoints: boolean
  /** Null where the file has no topic of joints, or no message on one. */
  readonly state: JointSeries | null
  /** What the last message of the action before each row said; NaN before the first one. */
  readonly action: { readonly topic: string; readonly names: readonly string[]; readonly values: Float64Array } | null
  readonly pictures: readonly McapTopic[]
  /** What is taken for what, in words. */
  readonly taken: readonly string[]
  /** What was not read, and why, in words. */
  readonly gaps: readonly string[]
}

/** Topics of what a robot should do, by the words that drivers use. */
const asked = /(^|[/_])(action|actions|cmd|command|commands|desired|goal|leader|target|targets)([/_]|$)/i

/** Reads the joints of a file; of its pictures none. */
export async function mcapEpisode(file: McapFile): Promise<McapEpisode> {
  const joints = file.topics.filter(({ kind }) => kind === 'joints').toSorted(byRank)
  const stateTopic = joints.find(({ name }) => !asked.test(name)) ?? joints[0] ?? null
  const actionTopic = joints.find((topic) => topic !== stateTopic && asked.test(topic.name)) ?? null
  const state = stateTopic && (await file.joints(stateTopic))
  const action = state && state.times.length > 0 && actionTopic ? await file.joints(actionTopic) : null
  const others = joints.filter((topic) => topic !== stateTopic && topic !== actionTopic)
  const { times } = state ?? { times: new BigInt64Array() }
  const start = times[0] ?? 0n
  return {
    times,
    hasJoints: stateTopic !== null,
    seconds: Float64Array.from(times, (time) => Number(time - start) / 1e9),
    state: times.length > 0 ? state : null,
    action: action && action.times.length > 0 ? heldAt(times, action) : null,
    pictures: file.topics.filter(({ kind }) => kind === 'picture'),
    taken: [
      ...(stateTopic === null ? [] : [`${stateTopic.name} is taken for what was measured.`]),
      ...(actionTopic === null ? [] : [`${actionTopic.name} is taken for what the robot should do.`]),
    ],
    gaps: [
      ...(stateTopic === null ? ['No topic has joints.'] : []),
      ...others.map(({ name }) => `${name} is not read: another topic has the joints.`),
      ...[state, action].flatMap((one) => (one === null ? [] : cutNotes(one))),
      ...file.topics.flatMap(({ name, why }) => (why === null ? [] : [`${name} is not read: ${why}.`])),
    ],
  }
}

function cutNotes({ topic, times, moreJoints, isWhole }: JointSeries): string[] {
  const seconds = Number((times.at(-1) ?? 0n) - (times[0] ?? 0n)) / 1e9
  return [
    ...(moreJoints.length === 0 ? [] : [`Of ${topic} ${MOST_JOINTS} joints are read; ${leftOut(moreJoints)}.`]),
    ...(isWhole ? [] : [`Of ${topic} the first ${seconds.toFixed(1)} s are read: the rest of it is too large.`]),
  ]
}

/** Enough to see which they are. */
const MOST_NAMED = 8

function leftOut(joints: readonly string[]): string {
  const count = joints.length < MOST_JOINTS ? `${joints.length}` : `at least ${MOST_JOINTS}`
  const more = joints.length > MOST_NAMED ? ', …' : ''
  return `${count} more are not checked or shown: ${joints.slice(0, MOST_NAMED).join(', ')}${more}`
}

/** `/joint_states` is what ROS calls it; else the one with the most messages. */
function byRank(a: McapTopic, b: McapTopic): number {
  const usual = ({ name }: McapTopic) => (/(^|\/)joint_states$/.test(name) ? 1 : 0)
  return usual(b) - usual(a) || (b.messages ?? 0) - (a.messages ?? 0)
}

function heldAt(times: BigInt64Array, { topic, names, times: told, position }: JointSeries) {
  const width = names.length
  const values = new Float64Array(times.length * width).fill(Number.NaN)
  let next = 0
  for (const [row, time] of times.entries()) {
    while (next < told.length && (told[next] ?? 0n) <= time) next += 1
    if (next > 0) values.set(position.subarray((next - 1) * width, next * width), row * width)
  }
  return { topic, names, values }
}
