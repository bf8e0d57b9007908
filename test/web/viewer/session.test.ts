/**
 * What the viewer's worker does, with MuJoCo itself: it finds the files of a model, and poses and steps what is
 * compiled. One engine for all.
 */

import { compileModel, dropFile, putFile } from '@hub/robot-view/physics/compile'
import { type LoadedMujoco, openMujoco } from '@hub/robot-view/physics/mujoco'
import { beforeAll, describe, expect, it } from 'vitest'
import { gatherFiles, type RepoBytes } from '../../../web/src/viewer/engine/gather-files.ts'
import { openSession, type Session } from '../../../web/src/viewer/engine/session.ts'
import { ViewerProblem } from '../../../web/src/viewer/problems.ts'

/** A cube with a dent: its hull has eight corners, the mesh nine. */
const dented = `v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv .5 .5 .6
f 1 3 2\nf 1 4 3\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\nf 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\n`

const robot = `<mujoco model="r"><compiler angle="radian"/><asset><mesh name="d" file="meshes/d.obj"/></asset><worldbody>
  <geom type="plane" size="0 0 1"/>
  <body name="base" pos="0 0 1"><joint name="turn" axis="0 0 1" range="-2 2"/>
    <geom name="shell" type="box" size=".1 .1 .1" contype="0" conaffinity="0" group="1"/>
    <geom type="mesh" mesh="d" group="3" mass="1"/>
    <camera name="eye" pos="0 -2 0" fovy="50" resolution="640 480" xyaxes="1 0 0 0 0 1"/>
    <body name="arm" pos="1 0 0"><joint name="lift" axis="0 1 0"/><geom size=".1" mass="1"/></body>
  </body></worldbody>
  <actuator><position name="hold" joint="turn" kp="50" kv="10" ctrlrange="-2 2"/></actuator>
  <keyframe><key name="home" qpos="0 0"/><key name="turned" qpos="1 0"/></keyframe></mujoco>`

const files: Readonly<Record<string, string>> = {
  'scene.xml': '<mujoco><include file="robot.xml"/></mujoco>',
  'robot.xml': robot,
  'meshes/d.obj': dented,
  'meshes/unused.obj': dented,
  'lost.xml': '<mujoco><asset><mesh name="d" file="gone.stl"/></asset><worldbody/></mujoco>',
  'notes.xml': '<notes/>',
}

function repo(sizes: Readonly<Record<string, number>> = {}) {
  const read: string[] = []
  const bytesOf = (path: string) => new TextEncoder().encode(files[path] ?? '')
  const bytes: RepoBytes = {
    sizes: new Map(Object.keys(files).map((path) => [path, sizes[path] ?? bytesOf(path).length])),
    read(paths, tell) {
      read.push(...paths)
      for (const path of paths) tell(bytesOf(path).length)
      return Promise.resolve(paths.map(bytesOf))
    },
  }
  return { bytes, read }
}

const noProgress = () => undefined
const problemOf = async (work: Promise<unknown>) => {
  const error = await work.catch((reason: unknown) => reason)
  if (!(error instanceof ViewerProblem)) throw new Error(`It was no problem for the page: ${String(error)}`)
  return error.problem
}

describe('of a repo', () => {
  it('the viewer downloads only the files that the model needs, each once', async () => {
    const { bytes, read } = repo()
    const told: number[] = []
    const model = await gatherFiles(bytes, 'scene.xml', null, (stage, done, total) => {
      if (stage === 'files') told.push(done / total)
    })
    expect([...model.files.keys()]).toEqual(['meshes/d.obj', 'robot.xml', 'scene.xml'])
    expect(read.toSorted()).toEqual(['meshes/d.obj', 'robot.xml', 'scene.xml'])
    expect(told.at(-1)).toBe(1)
  })

  it('a missing file, a file that is not a model and one that is too large are told in words', async () => {
    const gathered = (entry: string, sizes = {}) => gatherFiles(repo(sizes).bytes, entry, null, noProgress)
    expect(await problemOf(gathered('lost.xml'))).toMatchObject({
      title: 'A file of the model is missing',
      details: ['lost.xml:1: gone.stl is not in the repo.'],
    })
    expect((await problemOf(gathered('notes.xml'))).title).toBe('notes.xml is not a model')
    const { title, details } = await problemOf(gathered('scene.xml', { 'meshes/d.obj': 300 * 2 ** 20 }))
    expect(title).toBe('The model is too large for a browser')
    expect(details[0]).toMatch(/^Its files have 301 MiB; the viewer loads 256 MiB at most/)
  })
})

describe('a compiled robot', () => {
  let engine: LoadedMujoco
  let session: Session

  beforeAll(async () => {
    engine = await openMujoco(noProgress)
    const model = await gatherFiles(repo().bytes, 'scene.xml', null, noProgress)
    for (const [path, data] of model.files) putFile(engine.files, path, data)
    const compiled = compileModel(engine, 'scene.xml')
    if ('refused' in compiled) throw new Error(compiled.refused)
    for (const path of model.files.keys()) dropFile(engine.files, path)
    session = openSession(engine, compiled.model, { keyframe: 'turned', joints: { lift: 0.5 } })
  })

  it('starts at the keyframe and the joints of its card', () => {
    expect([...session.frame().qpos]).toEqual([1, 0.5])
    expect([...session.frame().ctrl]).toEqual([1])
  })

  it('has what is seen, and what collides as convex hulls', () => {
    const { scene, bodies, cameras } = session.opened
    expect(scene.geoms.map(({ shape }) => shape)).toEqual(['plane', 'box', 'sphere'])
    const hull = scene.collision.find(({ shape }) => shape === 'mesh')
    expect(scene.meshes[hull?.mesh ?? -1]?.positions.length).toBe(3 * 8)
    expect(bodies.map(({ name, parent }) => [name, parent])).toEqual([
      ['world', 0],
      ['base', 0],
      ['arm', 1],
    ])
    expect(cameras).toEqual([{ name: 'eye', field_of_view: 50, resolution: [640, 480], perspective: true }])
  })

  it('moves with a joint, its camera too', () => {
    session.toKeyframe(0)
    const before = session.frame()
    session.setQpos(0, [Math.PI / 2])
    const after = session.frame()
    expect([...before.bodies.subarray(14, 17)]).toEqual([1, 0, 1])
    const place = [...after.bodies.subarray(14, 17)]
    for (const [axis, expected] of [0, 1, 1].entries()) expect(place[axis]).toBeCloseTo(expected)
    expect(after.cameras[0]).toBeCloseTo(2)
    expect(after.time).toBe(0)
  })

  it('is stepped by the time that passed, to the rest of a step, and to its limit', () => {
    session.toKeyframe(0)
    for (let frame = 0; frame < 10; frame += 1) session.advance(0.005, () => false)
    expect(session.frame().time).toBeCloseTo(0.05)
    session.advance(10, () => true)
    expect(session.frame().time).toBeCloseTo(0.052)
    session.setControl(0, -1)
    session.advance(0.5, () => false)
    expect(session.frame().qpos[0]).toBeLessThan(-0.1)
  })

  it('steps once, where a person asks for one step', () => {
    session.toKeyframe(0)
    session.advance(0.003, () => false)
    const { time } = session.frame()
    session.step()
    expect(session.frame().time).toBeCloseTo(time + 0.002)
  })

  it('tells the mass and the box of inertia of each body, and where it touches', () => {
    // A mesh of 1 kg, and a box of 0.008 m³ at the density of water.
    expect(session.opened.bodies.map(({ mass }) => mass.toFixed(3))).toEqual(['0.000', '9.000', '1.000'])
    expect(session.opened.bodies[0]?.box).toBeNull()
    // A ball of 0.1 m and 1 kg has 0.004 kg·m² about each axis: as much as a cube of 0.155 m.
    for (const half of session.opened.bodies[2]?.box?.size ?? [0]) expect(half).toBeCloseTo(0.1 * Math.sqrt(0.6))
    session.toKeyframe(0)
    expect(session.frame().contacts).toHaveLength(0)
  })

  it('that explodes is back at its start, and says so once', () => {
    session.toKeyframe(0)
    session.setQpos(0, [Number.NaN])
    session.advance(0.1, () => false)
    const frame = session.frame()
    expect(frame.unstable).toBe(true)
    expect([...frame.qpos]).toEqual([1, 0.5])
    expect(session.frame().unstable).toBe(false)
  })
})

it('a model that stands on the ground touches it, with the normal upwards', async () => {
  const engine = await openMujoco(noProgress)
  const box = '<body pos="0 0 .099"><freejoint/><geom type="box" size=".1 .1 .1"/></body>'
  putFile(engine.files, 'box.xml', `<mujoco><worldbody><geom type="plane" size="0 0 1"/>${box}</worldbody></mujoco>`)
  const compiled = compileModel(engine, 'box.xml')
  if ('refused' in compiled) throw new Error(compiled.refused)
  const { contacts } = openSession(engine, compiled.model, { keyframe: null, joints: null }).frame()
  expect(contacts).toHaveLength(4 * 6)
  const [x = 0, y = 0, , ...normal] = contacts
  expect([Math.abs(x), Math.abs(y)].map((side) => side.toFixed(2))).toEqual(['0.10', '0.10'])
  expect(normal.slice(0, 3)).toEqual([0, 0, 1])
})
