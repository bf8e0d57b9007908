/** What a replay takes rows for: joints by name or by a map, what speaks against it, and the address that holds it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDataset } from '../../../web/src/episodes/dataset.ts'
import { plainAddress, readAddress, writeAddress } from '../../../web/src/episodes/episode-address.ts'
import { type Curves, frameNear } from '../../../web/src/episodes/episode-curves.ts'
import { playhead } from '../../../web/src/episodes/playhead.ts'
import { keptPart } from '../../../web/src/episodes/replay/kept-part.ts'
import { mapByName, mapOf } from '../../../web/src/episodes/replay/map-by-name.ts'
import { howText } from '../../../web/src/episodes/replay/map-note.ts'
import { ACTION, doubtsOf, posesOf, STATE } from '../../../web/src/episodes/replay/poses.ts'
import { targetsOf } from '../../../web/src/episodes/replay/robot-targets.ts'
import { DEGREES, unitsOf } from '../../../web/src/episodes/replay/units.ts'
import { linkedEpisode } from '../../../web/src/pages/repos/linked-episode.ts'
import { readMotionAddress } from '../../../web/src/pages/repos/rollouts/motion-address.ts'
import { BY_NAME, type KeptMap, keptInUse } from '../../../web/src/viewer/kept-map.ts'
import { largeDataset } from '../support/large-dataset.ts'
import { type RangeStore, rangeStore } from '../support/range-store.ts'

const joint = (
  name: string | null,
  type: 'hinge' | 'slide' | 'free' | 'ball',
  qpos: number,
  range = [-1, 1] as const,
) => ({
  ...{ name, type, body: 'base', root: 0, qpos, limited: type === 'hinge', range, axis: [0, 0, 1] as const },
  ...{ force_range: null, armature: 0, friction_loss: 0 },
})

const targets = targetsOf({
  joints: [joint(null, 'free', 0), joint('Shoulder_Pan', 'hinge', 7), joint('grip', 'slide', 8)],
})
const start = [0, 0, 1, 1, 0, 0, 0, 0.5, 0.01]

function curvesOf(features: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>): Curves {
  const named = Object.entries(features).map(([name, series]) => ({
    name,
    series: Object.entries(series).map(([label, values]) => ({ label, values: Float64Array.from(values) })),
  }))
  return { times: Float64Array.of(0, 0.1), features: named }
}

describe('the numbers of a pose', () => {
  it('are those of joints, and of a free body seven, each with a name', () => {
    expect(targets.map(({ name, unit, at }) => [name, unit, at])).toEqual([
      ['base.x', 'm', 0],
      ['base.y', 'm', 1],
      ['base.z', 'm', 2],
      ['base.qw', null, 3],
      ['base.qx', null, 4],
      ['base.qy', null, 5],
      ['base.qz', null, 6],
      ['Shoulder_Pan', 'rad', 7],
      ['grip', 'm', 8],
    ])
    expect(targetsOf({ joints: [joint('ball', 'ball', 2)] }).map(({ at }) => at)).toEqual([2, 3, 4, 5])
  })
})

describe('a map by names', () => {
  it('takes values as they are, also of a name in other case and with `.pos`; the rest is held or dropped', () => {
    const map = mapByName(['shoulder_pan.pos', 'Grip', 'lamp'], targets, start)
    expect(map.joints).toEqual([
      { from: 'shoulder_pan.pos', to: 'Shoulder_Pan', sign: 1, scale: 1, offset: 0 },
      { from: 'Grip', to: 'grip', sign: 1, scale: 1, offset: 0 },
    ])
    expect(map.dropped).toEqual(['lamp'])
    expect(map.held.map(({ joint: name, value }) => [name, value])).toContainEqual(['base.z', 1])
  })

  it('leaves out a name that two numbers have', () => {
    expect(mapByName(['grip.pos', 'GRIP'], targets, start).joints).toEqual([])
  })
})

describe('the pose of a frame', () => {
  const curves = curvesOf({
    [STATE]: { a: [90, Number.NaN], b: [0.02, 0.03] },
    [ACTION]: { a: [45, 45] },
  })
  const pairs = [
    { from: 'a', to: 'Shoulder_Pan', sign: -1, scale: DEGREES, offset: 0.1 },
    { from: 'b', to: 'grip', sign: 1, scale: 1, offset: 0 },
  ] as const
  const map = mapOf(pairs, ['a', 'b'], targets, start)
  const posed = (feature: string) => posesOf({ curves, feature, map, targets, start })

  it('has what the row says by the map, exactly, and the rest as the robot has it', () => {
    expect(posed(STATE)?.(0).qpos).toEqual([0, 0, 1, 1, 0, 0, 0, -1 * DEGREES * 90 + 0.1, 0.02])
    // Nothing is said of the joint.
    expect(posed(STATE)?.(1).qpos).toEqual([0, 0, 1, 1, 0, 0, 0, 0.5, 0.03])
    expect(posed(STATE)?.(1).values[7]).toBeNaN()
  })

  it('is also that of an action that has fewer joints; without any there is none', () => {
    expect(posed(ACTION)?.(0).qpos.slice(7)).toEqual([-1 * DEGREES * 45 + 0.1, 0.01])
    expect(posed('observation.effort')).toBeNull()
  })

  it('is doubted where it is far outside the limits of a joint', () => {
    const plain = mapOf([{ ...pairs[0], scale: 1, sign: 1, offset: 0 }], ['a', 'b'], targets, start)
    const whole = curvesOf({ [STATE]: { a: [90, -30], b: [0, 0] } })
    expect(doubtsOf(whole, plain, targets)).toEqual([{ joint: 'Shoulder_Pan', least: -30, most: 90, range: [-1, 1] }])
    const degrees = mapOf([{ ...pairs[0], sign: 1, offset: 0 }], ['a', 'b'], targets, start)
    expect(doubtsOf(curvesOf({ [STATE]: { a: [50, -30] } }), degrees, targets)).toEqual([])
  })
})

describe('a map that the hub keeps', () => {
  const keptMap = {
    version: 1,
    joints: [
      { from: 'pan', to: 'Shoulder_Pan', sign: -1, scale: DEGREES, offset: 0.1 },
      { from: 'jaw', to: 'thumb', sign: 1, scale: 1, offset: 0 },
      { from: 'lift', to: 'grip', sign: 1, scale: 1, offset: 0 },
    ],
    held: [
      { joint: 'grip', value: 0.04 },
      { joint: 'tail', value: 1 },
    ],
    dropped: ['lamp'],
  } as const
  const version = (number: number, reviewedAt: string | null): KeptMap => ({
    ...{ version: number, map: keptMap, reviewedAt },
  })
  const [reviewed, open] = [version(2, '2026-11-03T10:00:00.000Z'), version(4, null)]

  it('is the newest reviewed version, or the one that was chosen; one without a review is not used by itself', () => {
    const maps = [open, version(3, null), reviewed, version(1, '2026-11-01T10:00:00.000Z')]
    expect(keptInUse(maps, null)).toBe(reviewed)
    expect(keptInUse(maps, 4)).toBe(open)
    expect(keptInUse(maps, BY_NAME)).toBeNull()
    // It has gone since the link was made.
    expect(keptInUse(maps, 9)).toBe(reviewed)
    expect(keptInUse([open], null)).toBeNull()
  })

  it('gives each frame its sign, scale, offset and held joints, exactly; what it lacks is told', () => {
    const labels = ['pan', 'jaw', 'lamp']
    const { joints, start: held, missing } = keptPart(keptMap, labels, targets, start)
    expect(missing).toEqual([
      'The map gives a value to thumb, which the model does not have.',
      'The map moves grip by lift, which is not recorded.',
      'The map gives a value to tail, which the model does not have.',
    ])
    const map = mapOf(joints, labels, targets, held)
    const curves = curvesOf({ [STATE]: { pan: [90, -30], jaw: [1, 1], lamp: [0, 0] } })
    const posed = posesOf({ curves, feature: STATE, map, targets, start: held })
    expect(posed?.(0).qpos).toEqual([0, 0, 1, 1, 0, 0, 0, -1 * DEGREES * 90 + 0.1, 0.04])
    expect(posed?.(1).qpos).toEqual([0, 0, 1, 1, 0, 0, 0, -1 * DEGREES * -30 + 0.1, 0.04])
    expect(start[8]).toBe(0.01)
  })

  it('is named with its version and its review', () => {
    const maps = [open, reviewed]
    expect(howText({ maps, kept: reviewed, isOwn: false })).toContain('kept map, version 2, reviewed 2026-11-03.')
    expect(howText({ maps, kept: open, isOwn: false })).toContain('version 4, not reviewed. No one has reviewed it')
    expect(howText({ maps, kept: null, isOwn: false })).toContain('A map is kept: version 4, not reviewed.')
    expect(howText({ maps: [], kept: null, isOwn: false })).toMatch(/^are matched by name\..*plus sign\.$/)
    expect(howText({ maps, kept: reviewed, isOwn: true })).toContain('changed on this page (from the kept map')
  })
})

it('a unit that no name is known of is told as a factor', () => {
  expect(unitsOf('rad', DEGREES).map(({ name }) => name)).toEqual(['rad', 'degrees'])
  expect(unitsOf('m', 0.5).map(({ name }) => name)).toEqual(['m', 'cm', 'mm', '× 0.500'])
})

describe('an address', () => {
  it('holds all that is looked at, and nothing that is as by default', () => {
    const address = {
      ...plainAddress,
      episode: 7,
      frame: 41,
      beside: 3,
      robot: 'lab/arm',
      model: 'a b/scene.xml',
      kept: 3,
      map: [{ from: 'a&b', to: 'joint 1', sign: -1, scale: DEGREES, offset: 0.25 }] as const,
      ghost: true,
      differ: 0.5,
      speed: 0.25,
      loop: true,
      view: [1, 2, 3.25, -0.5, 0, 1e-3] as const,
    }
    expect(readAddress(writeAddress(address))).toEqual(address)
    expect(writeAddress(plainAddress)).toBe('')
  })

  it('plays faster than a browser plays videos, up to a limit', () => {
    expect(['speed=40', 'speed=1e9'].map((search) => readAddress(search).speed)).toEqual([40, 1000])
  })

  it.each([
    'episode=-1&frame=x&b=',
    'robot=a/b/c&map={}&view=1,2',
    'map=[["a","b",0,0]]&speed=0&differ=-1',
    'view=,,,,,',
  ])('that is broken shows the first frame of the first episode: %s', (search) => {
    expect(readAddress(search)).toEqual(plainAddress)
  })
})

describe('a link in a README', () => {
  const origin = 'https://hub.example'

  it('to an episode of this hub plays there where it says so', () => {
    const address = `${origin}/lab/pick/episodes?episode=7&robot=lab%2Farm&embed=1`
    expect(linkedEpisode(address, origin)).toEqual({
      ...{ page: 'repoEpisodes', owner: 'lab', repo: 'pick', search: 'episode=7&robot=lab%2Farm' },
    })
  })

  it('to a recorded motion plays there too, from its frame, at its speed', () => {
    const search = 'one=lab%2Fwalker%2Froll_1&seed=3&kept=1&frame=12&speed=0.5'
    const linked = linkedEpisode(`${origin}/lab/arm/rollouts?${search}&embed=1`, origin)
    expect(linked).toEqual({ page: 'repoRollouts', owner: 'lab', repo: 'arm', search })
    const one = { names: ['lab/walker/roll_1'], seed: 3, frame: 12, speed: 0.5 }
    expect(readMotionAddress(linked?.search ?? '')).toEqual(one)
    expect(readMotionAddress('one=a&other=b&seed=-2&frame=x')).toEqual({
      names: ['a', 'b'],
      seed: 0,
      frame: 0,
      speed: 1,
    })
  })

  it.each([
    `${origin}/lab/pick/episodes?episode=7`,
    `${origin}/lab/arm/rollouts?embed=1`,
    `${origin}/lab/arm/rollouts?one=lab%2Fwalker%2Froll_1&seed=3&embed=1`,
    `${origin}/lab/arm/rollouts?one=lab%2Fwalker%2Froll_1&seed=3&kept=1`,
    `${origin}/lab/pick/robot?pose=0,1`,
    'https://other.example/lab/pick/episodes?embed=1',
    '/lab/pick/episodes?embed=1',
    'javascript:alert(1)',
  ])('of another kind is a link: %s', (address) => {
    expect(linkedEpisode(address, origin)).toBeNull()
  })
})

it('the frame near a time is the one before or after it', () => {
  const times = Float64Array.of(0, 0.1, 0.2)
  expect([-1, 0.04, 0.06, 0.1, 0.149, 0.151, 9].map((time) => frameNear(times, time))).toEqual([0, 0, 1, 1, 1, 2, 2])
})

describe('the playhead', () => {
  it('goes at its speed, videos too, and begins again where it loops', () => {
    const reel = { currentTime: 0, playbackRate: 1, paused: true, readyState: 0 }
    const video = Object.assign(reel, { play: () => Promise.resolve(), pause: () => undefined })
    const head = playhead(1, [{ reel: video, from: 0 }], () => undefined)
    head.setSpeed(0.5)
    head.setLoop(true)
    head.play(true)
    head.tick(800)
    expect([head.time(), video.playbackRate]).toEqual([0.4, 0.5])
    head.tick(1400)
    expect([head.time(), head.isPlaying(), video.currentTime]).toEqual([0, true, 0])
    head.setLoop(false)
    head.tick(2100)
    expect([head.time(), head.isPlaying()]).toEqual([1, false])
  })
})

describe('of a dataset of 2 GB', () => {
  let store: RangeStore
  beforeAll(async () => {
    store = await rangeStore()
  })
  afterAll(() => store.stop())

  it.each([2, 3] as const)('the 500th episode is opened with less than 5 MB (layout %s)', async (layout) => {
    const { files, row } = largeDataset(layout, 499)
    expect([...files.values()].reduce((sum, { length }) => sum + length, 0)).toBeGreaterThan(2e9)
    store.hold(files)
    const dataset = await openDataset(store.repo())
    const episode = dataset?.episodes[499]
    if (!dataset || !episode) throw new Error('The dataset has 1,000.')
    const { curves } = await dataset.load(episode)
    expect(curves.times).toHaveLength(300)
    expect(curves.features[0]?.series.map(({ values }) => values[123])).toEqual(row(499, 123))
    const sent = [...store.sent.values()].reduce((sum, bytes) => sum + bytes, 0)
    expect(sent).toBe(dataset.bytes())
    expect(sent).toBeLessThan(5e6)
  })
})
