/**
 * Which robot: each real robot against four copies of itself whose numbers mean something else, with and without a map,
 * and against each other robot: sixty pairs. A mapped motion moves each body of a copy along the same path.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Embodiment, EmbodimentJoint } from '@hub/embodiment/embodiment'
import { fit } from '@hub/embodiment/fit'
import { fromCard } from '@hub/embodiment/from-card'
import { applyJointMap, identityMap, invert, type JointMap } from '@hub/embodiment/joint-map'
import { proposeMap } from '@hub/embodiment/propose-map'
import { compileModel, putFile } from '@hub/robot-view/physics/compile'
import { type Data, type Model, openMujoco } from '@hub/robot-view/physics/mujoco'
import { readFacts } from '@hub/robot-view/physics/read-facts'
import { needs } from '@hub/testing/needs'
import { noRobots, sharedDir } from '@hub/testing/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const entries = {
  bitcraze_crazyflie_2: 'cf2.xml',
  google_barkour_vb: 'barkour_vb.xml',
  so100_urdf: 'so100.urdf',
  trossen_wx250s: 'wx250s.xml',
  trs_so_arm100: 'so_arm100.xml',
} as const
type Name = keyof typeof entries
const names = Object.keys(entries) as Name[]

/** A robot as MuJoCo compiled it. */
interface Robot {
  readonly model: Model
  readonly data: Data
  readonly body: Embodiment
  /** Of each joint of `body`, its place in qpos and among the joints of the model. */
  readonly places: readonly { readonly qpos: number; readonly joint: number }[]
}

const robots = new Map<Name, Robot>()
const robotOf = (name: Name) => robots.get(name) as Robot
let engine: Awaited<ReturnType<typeof openMujoco>>

function loaded(name: Name): Robot {
  const folder = join(sharedDir() ?? '', 'robots', name)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) putFile(engine.files, `${name}/${relative(folder, path)}`, readFileSync(path))
  }
  const compiled = compileModel(engine, `${name}/${entries[name]}`)
  if ('refused' in compiled) throw new Error(compiled.refused)
  const { model } = compiled
  const facts = readFacts(engine.mujoco, engine.files, model)
  const joints = facts.joints.flatMap(({ name: joint, type, ...rest }, place) =>
    joint !== null && (type === 'hinge' || type === 'slide') ? [{ ...rest, name: joint, type, joint: place }] : [],
  )
  const limits = Object.fromEntries(
    joints.flatMap(({ name: joint, limited, range: [lower, upper] }) => (limited ? [[joint, { lower, upper }]] : [])),
  )
  const face = {
    base: facts.roots.some(({ floating }) => floating) ? 'floating' : 'fixed',
    joint_order: joints.map((joint) => joint.name),
    control_rate_hz: 50,
    action: { semantics: 'position', scale: 1 },
  }
  const body = fromCard(face, limits, Object.fromEntries(joints.map((joint) => [joint.name, joint.type])))
  if (!body) throw new Error(`${name} has no body.`)
  return {
    model,
    data: new engine.mujoco.MjData(model),
    body,
    places: joints.map(({ qpos, joint }) => ({ qpos, joint })),
  }
}

beforeAll(async () => {
  if (noRobots) return
  engine = await openMujoco(() => undefined)
  for (const name of names) robots.set(name, loaded(name))
}, 300_000)

afterAll(() => {
  for (const { data, model } of robots.values()) {
    data.delete()
    model.delete()
  }
})

/** How a copy of a robot counts its joints, and the map that leads to it. */
interface Copy {
  readonly joints: (joints: readonly EmbodimentJoint[]) => EmbodimentJoint[]
  readonly change: { readonly sign: 1 | -1; readonly scale: number; readonly offset: number }
}

const DEGREES = 180 / Math.PI
const SHIFT = 0.3

const ranged = (joint: EmbodimentJoint, turn: (value: number) => number): EmbodimentJoint => {
  if (joint.lower === null || joint.upper === null) return joint
  const ends = [turn(joint.lower), turn(joint.upper)]
  return { ...joint, lower: Math.min(...ends), upper: Math.max(...ends) }
}

const same = { sign: 1, scale: 1, offset: 0 } as const
const copies: Readonly<Record<'permuted' | 'signed' | 'offset' | 'rescaled', Copy>> = {
  permuted: { joints: (joints) => [...joints].reverse(), change: same },
  signed: {
    joints: (joints) => joints.map((joint) => ranged(joint, (value) => -value)),
    change: { ...same, sign: -1 },
  },
  offset: {
    joints: (joints) => joints.map((joint) => ranged(joint, (value) => value + SHIFT)),
    change: { ...same, offset: SHIFT },
  },
  // Its driver takes degrees, and its card does not say so.
  rescaled: {
    joints: (joints) => joints.map((joint) => ({ ...ranged(joint, (value) => value * DEGREES), unit: null })),
    change: { ...same, scale: DEGREES },
  },
}
type CopyName = keyof typeof copies
const ofCopies = names.flatMap((name) => (Object.keys(copies) as CopyName[]).map((copy) => ({ name, copy })))

const copyOf = ({ body }: Robot, copy: CopyName): Embodiment => ({ ...body, joints: copies[copy].joints(body.joints) })
const mapTo = ({ body }: Robot, copy: CopyName): JointMap => {
  const plain = identityMap(body.joints.map((joint) => joint.name))
  return { ...plain, joints: plain.joints.map((joint) => ({ ...joint, ...copies[copy].change })) }
}

const isSymmetric = ({ lower, upper }: EmbodimentJoint) => lower === null || Math.abs(lower + (upper ?? 0)) <= 1e-3

/** What must block a copy without a map: kind and joints. */
function blockedBy({ body: { joints } }: Robot, copy: CopyName): string[] {
  if (copy === 'permuted') return []
  // A range without zero has no value in common with the same in degrees.
  const far = joints
    .filter(({ lower, upper }) => lower !== null && upper !== null && lower * upper > 0)
    .map((joint) => `limits joints.${joint.name}`)
  if (copy === 'rescaled') return joints.length > 0 ? ['unit joints', ...far] : []
  const seen = joints.filter((joint) => (copy === 'signed' ? !isSymmetric(joint) : joint.lower !== null))
  return seen.map((joint) => `limits joints.${joint.name}`)
}

const blocks = (found: ReturnType<typeof fit>) => found.differences.filter((one) => one.blocks)

describe('a copy of a robot', needs(noRobots), () => {
  it.each(ofCopies)('$copy, of $name, without a map', ({ name, copy }) => {
    const robot = robotOf(name)
    const found = fit(robot.body, copyOf(robot, copy))
    const expected = blockedBy(robot, copy)
    expect(blocks(found).map(({ kind, place }) => `${kind} ${place}`)).toEqual(expected)
    const ordered = copy === 'permuted' && robot.body.joints.length > 1
    expect(found.verdict).toBe(expected.length > 0 ? 'none' : ordered ? 'mapped' : 'as_is')
    for (const { kind, reason } of blocks(found)) if (kind === 'limits') expect(reason).toMatch(/a map may say so\.$/)
  })

  it.each(ofCopies)('$copy, of $name, with its map: the same path of each body', ({ name, copy }) => {
    const robot = robotOf(name)
    const [target, map] = [copyOf(robot, copy), mapTo(robot, copy)]
    const found = fit(robot.body, target, map)
    expect(blocks(found)).toEqual([])
    const { length } = robot.body.joints
    expect(found.verdict).toBe(length === 0 || (copy === 'permuted' && length < 2) ? 'as_is' : 'mapped')
    const orders = [robot.body, target].map((body) => body.joints.map((joint) => joint.name))
    const [from = [], to = []] = orders
    const there = applyJointMap(map, from, to)
    const back = applyJointMap(invert(map), to, from)
    for (let step = 0; step < 20; step += 1) {
      const values = robot.body.joints.map(({ lower, upper }, at) => {
        const [low, high] = [lower ?? -1, upper ?? 1]
        return low + ((high - low) * (1 + Math.sin(step * 0.7 + at))) / 2
      })
      const mapped = there(values)
      for (const [at, value] of back(mapped).entries()) expect(value).toBeCloseTo(values[at] ?? Number.NaN, 9)
      const path = posed(robot, values, 'permuted', from)
      const again = posed(robot, mapped, copy, to)
      const apart = path.map((value, at) => Math.abs(value - (again[at] ?? Number.NaN)))
      expect(Math.max(...apart)).toBeLessThan(1e-9)
    }
  })
})

/**
 * Positions of all bodies, where the joints of a copy have these values. The copy is the robot's own compiled model
 * with axes turned or zeros moved; degrees become radians as its driver would make them.
 */
function posed(
  { model, data, body, places }: Robot,
  values: ArrayLike<number>,
  copy: CopyName,
  order: readonly string[],
) {
  const { sign, offset } = copies[copy].change
  const axes = model.jnt_axis as Float64Array
  const zeros = model.qpos0 as Float64Array
  const qpos = data.qpos as Float64Array
  const kept = [Float64Array.from(axes), Float64Array.from(zeros)] as const
  qpos.set(zeros)
  for (const [at, joint] of body.joints.entries()) {
    const place = places[at]
    if (!place) continue
    for (let axis = place.joint * 3; axis < place.joint * 3 + 3; axis += 1) axes[axis] = sign * (axes[axis] ?? 0)
    zeros[place.qpos] = (zeros[place.qpos] ?? 0) + offset
    const value = values[order.indexOf(joint.name)] ?? Number.NaN
    qpos[place.qpos] = copy === 'rescaled' ? value / DEGREES : value
  }
  engine.mujoco.mj_kinematics(model, data)
  const found = [...(data.xpos as Float64Array)]
  axes.set(kept[0])
  zeros.set(kept[1])
  return found
}

const others = names.flatMap((source) => names.filter((robot) => robot !== source).map((robot) => ({ source, robot })))

describe('another robot', needs(noRobots), () => {
  it.each(others)('$source on $robot', ({ source, robot }) => {
    const [theirs, ours] = [robotOf(source).body, robotOf(robot).body]
    const found = fit(theirs, ours)
    expect(found.verdict).toBe('none')
    const [sources = [], targets = []] = [theirs, ours].map((body) => body.joints.map((joint) => joint.name))
    const lonely = [
      ...sources.filter((joint) => !targets.includes(joint)),
      ...targets.filter((joint) => !sources.includes(joint)),
    ]
    const missing = lonely.map((joint) => `joints.${joint}`)
    const ofJoints = blocks(found).filter(({ kind }) => kind === 'joints')
    expect(ofJoints.map(({ place }) => place).sort()).toEqual(missing.sort())
    expect(blocks(found).some(({ kind }) => kind === 'base')).toBe(theirs.base !== ours.base)
    // A proposal has a place for every joint of both sides: it can be read, changed and kept.
    const { map } = proposeMap(theirs, ours)
    expect(blocks(fit(theirs, ours, map)).filter(({ kind }) => kind === 'joints')).toEqual([])
  })

  it('makes sixty pairs with the copies', () => {
    expect(ofCopies.length * 2 + others.length).toBe(60)
  })
})
