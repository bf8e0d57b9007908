/** What a reading holds, whatever the model is like. */
import { describe, expect, it } from 'vitest'
import type { ModelFiles } from '../src/model-files.ts'
import { readModel } from '../src/read-model.ts'
import { stl } from './asset-models.ts'
import { memoryFiles } from './memory-files.ts'

type Files = Record<string, string | Uint8Array>

const read = (files: Files, entry = 'main.xml') => readModel(memoryFiles(files), entry)
const arm = '<body name="arm"><joint name="j"/><geom size=".1"/></body>'
const model = (content: string) => `<mujoco model="m">${content}</mujoco>`
const world = (content = arm) => `<worldbody>${content}</worldbody>`

describe('a reading of a valid model', () => {
  it('reports what MuJoCo would compile', async () => {
    const cart = '<body name="cart"><freejoint name="root"/><geom size=".1"/><site name="s"/></body>'
    const files = {
      'main.xml': model(`${world(arm + cart)}<actuator><motor name="a" joint="j"/></actuator>
        <keyframe><key name="home"/><key/></keyframe>`),
    }
    expect(await read(files)).toEqual({
      entry: 'main.xml',
      format: 'mjcf',
      model: 'm',
      joints: [
        { name: 'j', type: 'hinge', root: 0 },
        { name: 'root', type: 'free', root: 1 },
      ],
      roots: [
        { name: 'arm', floating: false },
        { name: 'cart', floating: true },
      ],
      base: 'floating',
      keyframes: ['home', null],
      names: { bodies: ['arm', 'cart'], sites: ['s'], cameras: [], actuators: ['a'] },
      sizes: { nq: 8, nv: 7, nu: 1, na: 0 },
      files: ['main.xml'],
      missing: [],
      faults: [],
      warnings: [],
      undecided: [],
      asked: [{ path: 'main.xml', text: true }],
    })
  })

  it('names an unnamed model as MuJoCo does', async () => {
    expect(await read({ 'main.xml': `<mujoco>${world()}</mujoco>` })).toMatchObject({ model: 'MuJoCo Model' })
    expect(await read({ 'main.xml': '<robot><link name="a"/></robot>' })).toMatchObject({ model: 'MuJoCo Model' })
  })

  it('lists its files in the order of their bytes', async () => {
    const names = ['\u{1f980}.stl', '\uff5e.stl', 'Z.stl', 'a.stl', 'é.stl']
    const meshes = names.map((name, at) => `<mesh name="m${at}" file="${name}"/>`).join('')
    const files = Object.fromEntries(names.map((name) => [name, stl]))
    const reading = await read({ ...files, 'main.xml': model(`<asset>${meshes}</asset>${world()}`) })
    expect(reading.files).toEqual(['Z.stl', 'a.stl', 'main.xml', 'é.stl', '\uff5e.stl', '\u{1f980}.stl'])
  })

  it('records everything that it requested, found or not, since it depends on that', async () => {
    const files = {
      'main.xml': model(`<include file="part.xml"/>${world()}`),
      's/part.xml': '<mujoco/>',
      'part.xml': `<mujoco><compiler meshdir="d"/><asset><mesh file="a.stl"/></asset></mujoco>`,
      'a.stl': stl,
    }
    const { asked, faults, missing } = await read(files)
    expect([faults, missing]).toEqual([[], []])
    expect(asked).toEqual([
      { path: 'main.xml', text: true },
      { path: 'part.xml', text: true },
      { path: 'd/a.stl', text: false },
      { path: 'a.stl', text: false },
    ])
  })
})

describe('a reading of a model that MuJoCo rejects', () => {
  it('has no base, and keeps what could be read', async () => {
    const reading = await read({ 'main.xml': model(`${world()}<actuator><motor joint="k"/></actuator>`) })
    expect(reading.faults).toMatchObject([{ kind: 'reference', names: ['k'], file: 'main.xml', line: 1 }])
    expect(reading).toMatchObject({ base: null, joints: [{ name: 'j' }], files: ['main.xml'] })
  })

  it('reports every kind of fault at once', async () => {
    const files = {
      'main.xml': model(`<foo/>${world('<body name="b" pos="x"/><body name="b"/>')}
        <asset><mesh file="a.dae"/><mesh file="b.stl"/><mesh file="/c.stl"/></asset>`),
      'a.dae': 'x',
    }
    const { faults, missing } = await read(files)
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['schema', 'value', 'name', 'asset', 'path']))
    expect(missing.map(({ path }) => path)).toEqual(['b.stl'])
  })

  it('has no base when only a file is missing', async () => {
    const reading = await read({ 'main.xml': model(`${world()}<asset><mesh file="b.stl"/></asset>`) })
    expect(reading).toMatchObject({ base: null, faults: [], missing: [{ path: 'b.stl', kind: 'mesh' }] })
  })

  it('stops after a hundred faults', async () => {
    const { faults } = await read({ 'main.xml': model('<foo/>'.repeat(500)) })
    expect(faults).toHaveLength(101)
    expect(faults.at(-1)?.kind).toBe('limit')
  })

  it.each([
    ['is not there', {}, 'entry'],
    ['is empty', { 'main.xml': '' }, 'entry'],
    ['is not XML', { 'main.xml': 'hello' }, 'xml'],
    ['is XML of something else', { 'main.xml': '<svg/>' }, 'entry'],
    ['is not closed', { 'main.xml': '<mujoco>' }, 'xml'],
  ] as const)('says so where the entry %s', async (_name, files, kind) => {
    const reading = await read(files)
    expect(reading.faults).toMatchObject([{ kind, file: 'main.xml' }])
    expect(reading).toMatchObject({ base: null, joints: [], files: Object.keys(files), asked: [{ path: 'main.xml' }] })
  })

  it('names an asset past the cap, and requests none', async () => {
    const meshes = Array.from({ length: 20_001 }, (_, at) => `<mesh file="${at}.stl"/>`).join('')
    const { faults, asked } = await read({ 'main.xml': model(`<asset>${meshes}</asset>`) })
    expect(faults).toMatchObject([{ kind: 'limit', message: expect.stringContaining('20001') }])
    expect(asked).toHaveLength(1)
  })
})

it('a reading fails only if its files fail', async () => {
  const broken: ModelFiles = {
    readFile: async () => {
      throw new Error('no store')
    },
    sizesOf: async (paths) => paths.map(() => 1),
  }
  await expect(readModel(broken, 'main.xml')).rejects.toThrow('no store')
})

it('reports a misplaced or unreadable element once, and the faults elsewhere', async () => {
  const text = '<mujoco><worldbody><joint/><geom size="x"/><geom size="-1"/></worldbody></mujoco>'
  const { faults } = await readModel(memoryFiles({ 'main.xml': text }), 'main.xml')
  expect(faults.map(({ kind, names }) => [kind, ...names])).toEqual([
    ['schema', 'joint'],
    ['value', 'size'],
    ['compile'],
  ])
})
