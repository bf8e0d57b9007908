/** What results keep of a motion, and what is refused of one that others wrote. */
import { expect, test } from 'vitest'
import { motionDocument, readMotion } from '../src/loop/motion.ts'

const step = (time: number, ...qpos: readonly number[]) => ({
  time,
  qpos,
  qvel: [0],
  action: [1],
  reward: 0,
  holds: true,
})
const outcome = {
  seed: 7,
  success: false,
  ending: 'missed',
  return: 0,
  seconds: 1,
  steps: 2,
  fingerprint: 'a',
} as const
const document = motionDocument('walk', outcome, [step(0, 0.1, 0.2), step(0.05, 1 / 3, 0.4)])

test('a motion has the times and positions of its steps to the bit, and what it came to', () => {
  expect(document).toMatchObject({ version: 1, task: 'walk', ...outcome })
  const motion = {
    seed: 7,
    times: [0, 0.05],
    qpos: [
      [0.1, 0.2],
      [1 / 3, 0.4],
    ],
  }
  expect(readMotion(JSON.parse(JSON.stringify(document)))).toEqual(motion)
})

test('a motion that diverges ends before it does', () => {
  const gone = motionDocument('walk', outcome, [step(0, 1), step(0.05, Number.NaN), step(0.1, 1)])
  expect(readMotion(JSON.parse(JSON.stringify(gone)))).toEqual({ seed: 7, times: [0], qpos: [[1]] })
})

test.each([
  ['not a recording', null],
  ['not a recording', { ...document, version: 2 }],
  ['has no times', { ...document, times: [] }],
  ['has no times', { ...document, times: [0, null] }],
  ['do not ascend', { ...document, times: [0, 0] }],
  ['no positions for each', { ...document, qpos: [[0, 0]] }],
  [
    'no positions for each',
    {
      ...document,
      qpos: [
        [0, 0],
        ['0', 0],
      ],
    },
  ],
  ['differ in how many', { ...document, qpos: [[0, 0], [0]] }],
])('%s', (why, wrong) => {
  expect(() => readMotion(wrong)).toThrow(why)
})
