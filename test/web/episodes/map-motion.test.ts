/** What a reviewer of a map sees: each slider moves both robots, by the same map as replays and policies. */
import { expect, it } from 'vitest'
import { pairsOf, robotPose, SWING_S, sourcePose, swingOf } from '../../../web/src/map-view/map-motion.ts'

const map = {
  version: 1,
  joints: [
    { from: 'motor_1', to: 'elbow', sign: -1, scale: Math.PI / 180, offset: 0.5 },
    { from: 'motor_2', to: 'grip', sign: 1, scale: 0.01, offset: 0 },
    { from: 'motor_3', to: 'gone', sign: 1, scale: 1, offset: 0 },
  ],
  held: [{ joint: 'wrist', value: 0.25 }],
  dropped: ['lamp'],
} as const
const target = (name: string, unit: 'rad' | 'm', at: number, range: readonly [number, number] | null) => ({
  ...{ name, unit, at, range },
})
const robot = {
  targets: [target('wrist', 'rad', 0, null), target('elbow', 'rad', 1, [-0.5, 1.5]), target('grip', 'm', 2, null)],
  start: [0, 0.5, 0.02],
}
const pairs = pairsOf(map, robot.targets, robot.start)

it('a slider goes from limit to limit of the robot, in the numbers of the source', () => {
  const [elbow, grip, gone] = pairs
  expect([elbow?.least, elbow?.most, elbow?.start]).toEqual(
    [-180 / Math.PI, 180 / Math.PI, 0].map((one) => expect.closeTo(one, 9)),
  )
  expect([grip?.least, grip?.most, grip?.start]).toEqual([-50, 50, 2].map((one) => expect.closeTo(one, 9)))
  expect(gone?.target).toBeNull()
})

it('the robot is where the map says, with what it holds; the source is where the sliders are', () => {
  expect(robotPose(map, pairs, [90, 3, 7], robot)).toEqual([0.25, -Math.PI / 2 + 0.5, 0.03])
  const own = { targets: [target('motor_2', 'rad', 0, null), target('motor_1', 'rad', 1, null)], start: [9, 9, 9] }
  expect(sourcePose(pairs, [90, 3, 7], own)).toEqual([3, 90, 9])
})

it('each joint swings in turn from limit to limit, and the others stand', () => {
  const quarter = swingOf(pairs, SWING_S / 4)
  expect([quarter.place, ...quarter.values]).toEqual(
    [0, pairs[0]?.most, pairs[1]?.start, 0].map((one) => expect.closeTo(one ?? 0, 9)),
  )
  const second = swingOf(pairs, SWING_S + (3 * SWING_S) / 4)
  expect([second.place, second.values[1]]).toEqual([1, expect.closeTo(-50, 9)])
  expect(swingOf(pairs, 3 * SWING_S + SWING_S / 4).place).toBe(0)
  expect(swingOf([], 5)).toEqual({ place: 0, values: [] })
})
