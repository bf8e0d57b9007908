/** The pictures of a compiled model: which are kept, how large they are, and where the points of a shape are in them. */
import type { BufferGeometry } from 'three'
import { describe, expect, it } from 'vitest'
import { compileModel, putFile } from '../src/physics/compile.ts'
import { openMujoco } from '../src/physics/mujoco.ts'
import { readLitScene, readScene } from '../src/physics/read-scene.ts'
import { geometryOf } from '../src/scene/geometry.ts'
import { pictureFit } from '../src/scene/picture-places.ts'
import type { SceneGeom } from '../src/scene/scene.ts'
import { decodeScene, encodeScene } from '../src/scene/scene-bytes.ts'
import { corner, geom, scene } from './support/scenes.ts'

const engine = await openMujoco(() => undefined)

function compiled(xml: string) {
  putFile(engine.files, 'model.xml', xml)
  const found = compileModel(engine, 'model.xml')
  if ('refused' in found) throw new Error(found.refused)
  const data = new engine.mujoco.MjData(found.model)
  engine.mujoco.mj_forward(found.model, data)
  return { model: found.model, data }
}

/** Red above and blue below, in a picture of so many pixels. */
const flat = (width: number, height: number, said = '') =>
  `<texture name="t" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="${width}" height="${height}" ${said}/>`
const world = (assets: string, geoms: string) =>
  `<mujoco><asset>${assets}</asset><worldbody>${geoms}</worldbody></mujoco>`
const ROOM = 2 ** 26

describe('the pictures of a model', () => {
  it('are those of shapes that are seen, as often and by what their materials say', () => {
    const { model, data } = compiled(
      world(
        `${flat(4, 2)}<texture name="unseen" type="2d" builtin="flat" width="4" height="4"/>
          <texture name="sky" type="skybox" builtin="flat" rgb1="0 1 0" width="8" height="48"/>
          <material name="m" texture="t" texrepeat="2 3" texuniform="true" rgba=".5 1 1 1"/>
          <material name="u" texture="unseen"/><material name="n"/>`,
        '<geom size="1" material="m"/><geom size="1" material="u" group="4"/><geom size="1" material="n"/>',
      ),
    )
    const found = readScene(engine, model, data, ROOM)
    expect(found.textures).toEqual([{ width: 4, height: 2, isCube: false, isSrgb: false, pixels: expect.anything() }])
    expect([...(found.textures[0]?.pixels ?? [])].slice(0, 4)).toEqual([255, 0, 0, 255])
    expect(found.geoms.map(({ wrap }) => wrap)).toEqual([{ texture: 0, repeat: [2, 3], uniform: true }, null])
    expect(found.geoms[0]?.color).toEqual([0.5, 1, 1, 1])

    const lit = readLitScene(engine, model, data, ROOM)
    expect(lit.lighting.sky).toBe(1)
    expect(lit.textures[1]).toMatchObject({ width: 8, height: 48, isCube: true })
  })

  it('are made smaller by whole pixels, and a cube of one square has it on all sides', () => {
    const { model, data } = compiled(
      world(
        `${flat(3000, 30)}<texture name="c" type="cube" builtin="flat" rgb1="0 1 0" width="1200" height="1200"/>
          <material name="m" texture="t"/><material name="c" texture="c"/>`,
        '<geom size="1" material="m"/><geom size="1" material="c"/>',
      ),
    )
    const [first, second] = readScene(engine, model, data, ROOM).textures
    expect(first).toMatchObject({ width: 1000, height: 10 })
    expect(second?.width).toBe(400)
    expect(second?.height).toBe(2400)
    expect([...(second?.pixels.subarray(-4) ?? [])]).toEqual([0, 255, 0, 255])
  })

  it('have places on a mesh whose material wears one, and on no other', () => {
    putFile(
      engine.files,
      'm.obj',
      'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 3/3 2/2\nf 1/1 2/2 4/3\nf 1/1 4/3 3/2\nf 2/1 3/2 4/3\n',
    )
    const meshesOf = (material: string) => {
      const assets = `${flat(4, 4)}<mesh name="a" file="m.obj"/><material name="m" texture="t"/><material name="n"/>`
      const { model, data } = compiled(world(assets, `<geom type="mesh" mesh="a" material="${material}"/>`))
      return readScene(engine, model, data, ROOM).meshes
    }
    expect(meshesOf('m').map(({ texcoords }) => texcoords?.length)).toEqual([24])
    expect(meshesOf('n').map(({ texcoords }) => texcoords)).toEqual([null])
  })

  it('of very many pixels are looked at here and there', () => {
    const { model, data } = compiled(
      world(`${flat(9000, 9)}<material name="m" texture="t"/>`, '<geom size="1" material="m"/>'),
    )
    const [texture] = readScene(engine, model, data, ROOM).textures
    expect(texture).toMatchObject({ width: 1000, height: 1 })
    // Half of the rows that it stands for are red.
    expect([...(texture?.pixels.subarray(0, 4) ?? [])]).toEqual([128, 0, 128, 255])
  })

  it('that do not fit are left out, and their shapes have the mean color', () => {
    const { model, data } = compiled(
      world(`${flat(64, 64)}<material name="m" texture="t"/>`, '<geom size="1" material="m"/>'),
    )
    const found = readScene(engine, model, data, 64 * 64 * 4 - 1)
    expect(found.textures).toEqual([])
    expect(found.geoms[0]).toMatchObject({ wrap: null })
    expect(found.geoms[0]?.color.map((part) => Number(part.toFixed(1)))).toEqual([0.5, 0, 0.5, 1])
    expect(readScene(engine, model, data, 64 * 64 * 4).textures).toHaveLength(1)
  })

  it('cross processes as bytes, with the places of a mesh', () => {
    const pixels = Uint8Array.from({ length: 2 * 3 * 4 }, (_, at) => at)
    const texcoords = Float32Array.from({ length: 2 * corner.triangles.length }, (_, at) => at / 8)
    const whole = {
      ...scene([geom({ shape: 'mesh', mesh: 0 })], [{ ...corner, texcoords }, corner]),
      textures: [{ width: 2, height: 3, isCube: false, isSrgb: true, pixels }],
    }
    expect(decodeScene(encodeScene(whole))).toEqual(whole)
  })
})

describe('a place in a picture', () => {
  const wrap = { texture: 0, repeat: [2, 4], uniform: false } as const
  const shaped = (said: Partial<SceneGeom>) => geom({ wrap, size: [3, 5, 1], ...said })
  const uniform = { ...wrap, uniform: true }

  it.each<[string, SceneGeom, readonly [number, number], number]>([
    ['of a box counts its repeats', shaped({}), [2, 4], 0],
    ['of a box counts them by its half lengths where it is uniform', shaped({ wrap: uniform }), [6, 20], 0],
    ['of a plane without an end is shifted to its origin', shaped({ shape: 'plane', size: [0, 0, 1] }), [2, 4], -0.5],
    ['is once where a material says no repeat', shaped({ wrap: { ...wrap, repeat: [0, 0] } }), [1, 1], 0],
    ['of a field is over its size', shaped({ shape: 'hfield', size: [2, 4, 1] }), [1, 1], -0.5],
    ['of a field is by lengths where it is uniform', shaped({ shape: 'hfield', wrap: uniform }), [2, 4], -0.5],
  ])('%s', (_what, given, scale, shift) => {
    expect(pictureFit(given, null)).toEqual({ scale, shift })
  })

  /** The places of the points that are where `at` says, to a tenth. */
  function placesAt(geometry: BufferGeometry | null, at: readonly [number, number, number]): string[] {
    const [points, places] = [geometry?.getAttribute('position'), geometry?.getAttribute('uv')]
    if (!points || !places) throw new Error('no places')
    const found = Array.from({ length: points.count }, (_, index) => index).filter((index) =>
      [points.getX(index), points.getY(index), points.getZ(index)].every((part, axis) => {
        return Math.abs(part - (at[axis] ?? 0)) < 1e-5
      }),
    )
    return [
      ...new Set(
        found.map((index) => [places.getX(index), places.getY(index)].map((part) => (part + 0).toFixed(2)).join(' ')),
      ),
    ].sort()
  }
  const parts = {
    meshes: [corner],
    textures: [{ ...{ width: 1, height: 1, isCube: false, isSrgb: false }, pixels: new Uint8Array(4) }],
  }

  it.each<[string, Partial<SceneGeom>, readonly [number, number, number], string[]]>([
    ['around a ball, from the x axis', { shape: 'sphere', size: [2, 0, 0] }, [0, 2, 0], ['0.25 0.50']],
    ['of a ball at its seam', { shape: 'sphere', size: [2, 0, 0] }, [2, 0, 0], ['0.00 0.50', '1.00 0.50']],
    [
      'around a cylinder, and on its lid',
      { shape: 'cylinder', size: [1, 2, 0] },
      [0, 1, 2],
      ['0.25 0.00', '0.50 1.00'],
    ],
    [
      'of a capsule, whose caps have it once more',
      { shape: 'capsule', size: [1, 2, 0] },
      [0, 1, 2],
      ['0.25 0.00', '0.25 1.00'],
    ],
    ['of a plane', { shape: 'plane', size: [1, 2, 0] }, [-1, 2, 0], ['0.00 0.00']],
    ['of an endless plane', { shape: 'plane', size: [0, 0, 1] }, [50.5, 50.25, 0], ['25.25 -25.13']],
    ['on three sides of a box', { size: [1, 2, 3] }, [1, 2, 3], ['1.00 0.00']],
    ['under a picture, of a mesh that says none', { shape: 'mesh', mesh: 0 }, [0, 1, 0], ['0.00 -0.50']],
  ])('%s', (_what, said, at, expected) => {
    expect(placesAt(geometryOf(shaped(said), parts), at)).toEqual(expected)
  })

  it('of a mesh is what its file says of each corner of a triangle', () => {
    const texcoords = Float32Array.from({ length: 2 * corner.triangles.length }, (_, at) => at / 100)
    const meshes = [{ ...corner, texcoords }]
    // The point is the third corner of the first triangle, and the second of the second one.
    const found = placesAt(geometryOf(shaped({ shape: 'mesh', mesh: 0 }), { ...parts, meshes }), [1, 0, 0])
    expect(found).toEqual(['0.04 0.05', '0.08 0.09'])
  })
})
