/** MCAP files with one fault each: each is found at its file and its message, and nothing of right ones. */
import { expect, it } from 'vitest'
import { checkDataset } from '../src/check/check-dataset.ts'
import { filesOf } from './support/made-dataset.ts'
import { jointState, jointsAt, type MadeTopic, madeMcap, stampOf } from './support/made-mcap.ts'

const JOINTS = ['shoulder', 'elbow']

type Message = { seconds: number; stamp: number; position: number[] }

const messagesOf = (episode: number): Message[] =>
  Array.from({ length: 60 }, (_, at) => ({
    ...{ seconds: at / 20, stamp: at / 20 },
    position: JOINTS.map((__, joint) => Math.sin(at / 10 + joint + episode)),
  }))

const stateOf = (messages: readonly Message[]): MadeTopic => ({
  ...{ name: '/joint_states', schema: 'sensor_msgs/msg/JointState', encoding: 'cdr', text: jointState },
  messages: messages.map(({ seconds, stamp, position }) => {
    const [, message] = jointsAt(seconds, JOINTS, position)
    return [seconds, { ...message, header: stampOf(stamp) }] as const
  }),
})

const commandOf = (messages: readonly Message[]): MadeTopic => ({
  ...stateOf(messagesOf(1).map((one, at) => ({ ...one, seconds: messages[at]?.seconds ?? one.seconds }))),
  name: '/joint_commands',
})

async function checked(change: (messages: Message[]) => void, others: Record<string, Uint8Array> = {}) {
  const messages = messagesOf(1)
  change(messages)
  const files = new Map(Object.entries(others))
  files.set('b/0.mcap', await madeMcap([stateOf(messagesOf(0))]))
  files.set('b/1.mcap', await madeMcap([stateOf(messages), commandOf(messages)]))
  files.set('README.md', new Uint8Array(3))
  return checkDataset(filesOf(files), { limits: new Map([['shoulder', { lower: -1.1, upper: 1.1 }]]) })
}

it('right files have no finding, and their numbers', async () => {
  const report = await checked(() => undefined)
  expect(report).toMatchObject({ layout: null, version: 'MCAP', episodes: 2, frames: 120, findings: [], unchecked: [] })
  expect(report.fps).toBeCloseTo(20)
  expect(report.summary.joints.map(({ place }) => place)).toEqual(JOINTS.map((joint) => `observation.state.${joint}`))
})

const from = (first: number, by: Partial<Record<'seconds' | 'stamp', number>>) => (messages: Message[]) => {
  for (const one of messages.slice(first)) {
    one.seconds += by.seconds ?? 0
    one.stamp += by.stamp ?? 0
  }
}

it.each([
  ['a hole', 'frame_gap', 30, '/joint_states', from(30, { seconds: 0.4, stamp: 0.4 })],
  ['times that go back', 'time_order', 30, '/joint_states', from(30, { stamp: -0.2 })],
  [
    ...(['clocks that part', 'clock_drift', 59, '/joint_states'] as const),
    (messages: Message[]) => {
      for (const one of messages) one.stamp *= 1.05
    },
  ],
  [
    ...(['a number that is none', 'not_finite', 12, 'observation.state.elbow'] as const),
    (messages: Message[]) => messages[12]?.position.splice(1, 1, Number.NaN),
  ],
  [
    ...(['a joint outside its limits', 'joint_limit', 0, 'observation.state.shoulder'] as const),
    (messages: Message[]) => {
      for (const one of messages) one.position[0] = (one.position[0] ?? 0) + 0.5
    },
  ],
  [
    ...(['a jump', 'jump', 30, 'observation.state.elbow'] as const),
    (messages: Message[]) => messages[30]?.position.splice(1, 1, 9),
  ],
  [
    ...(['a dead joint', 'dead_joint', 0, 'observation.state.elbow'] as const),
    (messages: Message[]) => {
      for (const one of messages) one.position[1] = 0.5
    },
  ],
] as const)('with %s', async (_, code, frame, place, change) => {
  const { findings } = await checked((messages) => void change(messages))
  expect(findings[0], JSON.stringify(findings)).toMatchObject({ code, episode: 1, frame, place })
  expect(new Set(findings.map((one) => one.code))).toEqual(new Set([code]))
})

it('a broken file, an empty one, one of no joints and one that is there twice are told by name', async () => {
  const { findings, unchecked } = await checked(() => undefined, {
    'a.mcap': new Uint8Array(200),
    'b/2.mcap': await madeMcap([{ ...stateOf([]), messages: [] }]),
    'b/3.mcap': await madeMcap([{ name: '/odom', schema: 'nav_msgs/msg/Odometry', encoding: 'cdr', messages: [] }]),
    'b/4.mcap': await madeMcap([stateOf(messagesOf(0))]),
  })
  expect(findings.map(({ code, episode, place }) => [code, episode, place])).toEqual([
    ['broken_table', 0, 'a.mcap'],
    ['empty_episode', 3, 'b/2.mcap'],
    ['duplicate_episode', 5, 'b/4.mcap'],
  ])
  expect(unchecked).toEqual([
    'b/3.mcap: No topic has joints.',
    'b/3.mcap: /odom is not read: nav_msgs/msg/Odometry, cdr encoding: neither joints nor compressed pictures.',
  ])
})

it('a chunk with another CRC is a finding at its file, and joints that are not read are told', async () => {
  const broken = Buffer.from(await madeMcap([stateOf(messagesOf(5))]))
  // The first chunk comes behind the head of the file: its CRC is 33 bytes into it.
  const at = 8 + 9 + Number(broken.readBigUInt64LE(9))
  broken.writeUInt32LE((broken.readUInt32LE(at + 33) ^ 1) >>> 0, at + 33)
  const wide = Array.from({ length: 131 }, (_, joint) => `joint_${joint}`)
  const messages = messagesOf(0).map(({ seconds }) =>
    jointsAt(
      seconds,
      wide,
      wide.map((_, joint) => joint + seconds),
    ),
  )
  const { findings, unchecked } = await checked(() => undefined, {
    'a.mcap': new Uint8Array(broken),
    'b/2.mcap': await madeMcap([{ ...stateOf([]), messages }]),
  })
  expect(
    findings.filter(({ severity }) => severity === 'error').map(({ code, place, detail }) => [code, place, detail]),
  ).toEqual([
    [
      'broken_table',
      'a.mcap',
      `a.mcap is not read: the chunk at byte ${at} is not read: its bytes are not those of its CRC.`,
    ],
  ])
  expect(unchecked).toContain(
    'b/2.mcap: Of /joint_states 128 joints are read; 3 more are not checked or shown: joint_128, joint_129, joint_130.',
  )
})

it('a store that does not answer is no fault of a file', async () => {
  const files = filesOf(new Map([['a.mcap', await madeMcap([stateOf(messagesOf(0))])]]))
  await expect(checkDataset({ ...files, read: () => Promise.reject(new Error('no answer')) })).rejects.toThrow(
    'no answer',
  )
})
