// @module-tag sampled
/** Episodes on their robots: what MuJoCo moved is recorded as LeRobot does, read by ranges, and posed as the page does. */
import { join } from 'node:path'
import { type LoadedMujoco, openMujoco } from '@hub/robot-view/physics/mujoco'
import { needs } from '@hub/testing/needs'
import { noRobots, sharedDir } from '@hub/testing/shared'
import { describeOnce, inTorture } from '@hub/testing/torture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDataset } from '../../../web/src/episodes/dataset.ts'
import { mapByName } from '../../../web/src/episodes/replay/map-by-name.ts'
import { ACTION, posesOf, STATE } from '../../../web/src/episodes/replay/poses.ts'
import { targetsOf } from '../../../web/src/episodes/replay/robot-targets.ts'
import { recordedDataset } from '../support/lerobot.ts'
import { type MovedRobot, movedRobot } from '../support/moved-robots.ts'
import { type RangeStore, rangeStore } from '../support/range-store.ts'

let engine: LoadedMujoco
let store: RangeStore

beforeAll(async () => {
  engine = await openMujoco(() => undefined)
  store = await rangeStore()
})
afterAll(() => store.stop())

/** The largest distance of a number of a body to MuJoCo's, over all frames. */
async function farthest({ session, recorded, bodies }: MovedRobot, layout: 2 | 3): Promise<number> {
  store.hold(recordedDataset(layout, recorded))
  const dataset = await openDataset(store.repo())
  if (!dataset) throw new Error('It is a dataset of LeRobot.')
  session.toKeyframe(-1)
  const start = Array.from(session.frame().qpos)
  const targets = targetsOf(session.opened.facts)
  const map = mapByName(dataset.info.curves[0]?.labels ?? [], targets, start)
  let most = 0
  for (const [index, episode] of dataset.episodes.entries()) {
    const { curves } = await dataset.load(episode)
    const [state, action] = [STATE, ACTION].map((feature) => posesOf({ curves, feature, map, targets, start }))
    if (!state || !action) throw new Error('The episode has both.')
    const known = bodies[index] ?? []
    expect(curves.times).toHaveLength(known.length)
    // The robot moved.
    expect(Math.max(...distances(known[0], known.at(-1)))).toBeGreaterThan(1e-3)
    for (const [frame, expected] of known.entries()) {
      session.replay(state(frame).qpos, action(frame).qpos)
      const shown = session.frame()
      expect(shown.qpos).toEqual(Float64Array.from(state(frame).qpos))
      for (const [place, value] of expected.entries())
        most = Math.max(most, Math.abs(value - (shown.bodies[place] ?? Number.NaN)))
      // The action is elsewhere.
      expect(shown.ghost).not.toEqual(shown.bodies)
    }
  }
  return most
}

const distances = (a: Float64Array = new Float64Array(), b: Float64Array = new Float64Array()) =>
  Array.from(a, (value, at) => Math.abs(value - (b[at] ?? 0)))

const layouts = [2, 3] as const

/** What a picture of a body is placed with has 24 bits: of a robot of some metres less than this. */
const EXACT = 1e-6

function replayOf(title: string, folder: string, entry: string): void {
  describe(title, () => {
    let moved: MovedRobot
    beforeAll(async () => {
      moved = await movedRobot(engine, folder, entry)
    })
    it.each(layouts)('is where MuJoCo has it, at each frame of each episode (layout %s)', async (layout) => {
      expect(await farthest(moved, layout)).toBeLessThan(EXACT)
    })
  })
}

describeOnce("an episode of the examples' robot", () => {
  replayOf('pico_arm', join(import.meta.dirname, '../../../examples/robot'), 'scene.xml')
})

inTorture(() => {
  describe('an episode of a public robot', needs(noRobots), () => {
    const robots = join(sharedDir() ?? '', 'robots')
    for (const [folder, entry] of [
      ['trossen_wx250s', 'scene.xml'],
      ['trs_so_arm100', 'scene.xml'],
      ['google_barkour_vb', 'scene.xml'],
      ['bitcraze_crazyflie_2', 'scene.xml'],
      ['so100_urdf', 'so100.urdf'],
    ] as const)
      replayOf(folder, join(robots, folder), entry)
  })
})
