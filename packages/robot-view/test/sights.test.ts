/** What the cameras of a model see by: rows from the top, and the light that the model says. */
import type { WebGLRenderer, WebGLRenderTarget } from 'three'
import { describe, expect, it } from 'vitest'
import { compileModel, putFile } from '../src/physics/compile.ts'
import { openMujoco } from '../src/physics/mujoco.ts'
import { readCameras } from '../src/physics/read-cameras.ts'
import { readLighting } from '../src/physics/read-lighting.ts'
import type { LayeredScene } from '../src/scene/scene.ts'
import { type Sight, sightsOf } from '../src/scene/sights.ts'
import { upright } from '../src/scene/upright.ts'
import { geom, scene } from './support/scenes.ts'

const engine = await openMujoco(() => undefined)

function compiled(xml: string) {
  putFile(engine.files, 'model.xml', xml)
  const found = compileModel(engine, 'model.xml')
  if ('refused' in found) throw new Error(found.refused)
  return found.model
}

describe('pixels of a graphics card', () => {
  it('are turned the right way up, row by row', () => {
    const rows = [
      [1, 1, 1, 1, 2, 2, 2, 2],
      [3, 3, 3, 3, 4, 4, 4, 4],
      [5, 5, 5, 5, 6, 6, 6, 6],
    ].map((row) => Uint8Array.from(row))
    const lowestFirst = Uint8Array.from(rows.toReversed().flatMap((row) => [...row]))
    expect([...upright(lowestFirst, 2, 3)]).toEqual(rows.flatMap((row) => [...row]))
  })
})

describe('the light of a model', () => {
  it('is that of its file: the headlight, lamps that are on, and the sky', () => {
    const lighting = readLighting(
      engine,
      compiled(`<mujoco><visual><headlight ambient=".2 .2 .2" diffuse=".5 .4 .3"/><map znear=".02" zfar="30"/></visual>
        <statistic extent="2"/>
        <asset><texture type="skybox" builtin="flat" rgb1="0 0 1" rgb2="0 0 1" width="8" height="48"/></asset>
        <worldbody><light pos="0 0 3" active="false"/>
          <body name="arm"><light type="directional" dir="1 0 0" diffuse=".1 .2 .3" ambient=".1 0 0"/>
            <geom size="1"/></body>
          <light pos="0 0 3" cutoff="30"/></worldbody></mujoco>`),
    )
    expect(lighting.lamps).toHaveLength(2)
    const [sky, spot] = ['directional', 'spot'].map((kind) => lighting.lamps.find((lamp) => lamp.kind === kind))
    expect(sky).toMatchObject({ body: 1, direction: [1, 0, 0] })
    expect(sky?.color.map((part) => Number(part.toFixed(4)))).toEqual([0.1, 0.2, 0.3])
    expect(spot).toMatchObject({ body: 0, position: [0, 0, 3], cutoff: 30 })
    expect(lighting.ambient[0]).toBeCloseTo(0.3)
    expect(lighting.headlight[1]).toBeCloseTo(0.4)
    expect(lighting.backdrop[2]).toBeCloseTo(1)
    expect([lighting.near, lighting.far].map((at) => at.toFixed(2))).toEqual(['0.04', '60.00'])
  })

  it('is black behind a model without a sky, and none in front of one whose headlight is off', () => {
    const dark = readLighting(
      engine,
      compiled('<mujoco><visual><headlight active="0"/></visual><worldbody><geom size="1"/></worldbody></mujoco>'),
    )
    expect(dark).toMatchObject({ ambient: [0, 0, 0], headlight: [0, 0, 0], lamps: [], backdrop: [0, 0, 0] })
  })
})

describe('pictures on the graphics card', () => {
  const lighting = {
    ambient: [0, 0, 0],
    headlight: [0, 0, 0],
    lamps: [],
    backdrop: [0, 0, 0],
    sky: null,
    near: 0.1,
    far: 9,
  } as const
  const sight = (width: number, height: number): Sight => ({
    ...{ position: [0, 0, 1], quaternion: [0, 0, 0, 1], fieldOfView: 45, width, height },
  })
  const model: LayeredScene = { ...scene([geom()]), collision: [], lighting }
  const frames = [0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0]

  /** Sights, and the sizes that the card holds for them. */
  function watched() {
    const held = new Map<WebGLRenderTarget, string>()
    const renderer = {
      getContext: () => ({ isContextLost: () => false }),
      setRenderTarget(target: WebGLRenderTarget | null) {
        if (!target || held.has(target)) return
        held.set(target, `${target.width}x${target.height}`)
        target.addEventListener('dispose', () => held.delete(target))
      },
      render: () => undefined,
      readRenderTargetPixels: () => undefined,
    }
    const seeing = sightsOf(model, new Map(), renderer as unknown as WebGLRenderer)
    return { seeing, held: () => [...held.values()] }
  }

  it('are freed as soon as a policy sees others', () => {
    const { seeing, held } = watched()
    expect(seeing.see(frames, [sight(8, 6), sight(4, 4), sight(8, 6)])).toHaveLength(3)
    expect(held()).toEqual(['8x6', '4x4'])
    seeing.see(frames, [sight(4, 4), sight(2, 2)])
    expect(held()).toEqual(['4x4', '2x2'])
    seeing.dispose()
    expect(held()).toEqual([])
  })
})

describe('a camera of a model', () => {
  it('has a perspective unless its file says that it has none', () => {
    const model = compiled(
      '<mujoco><worldbody><geom size="1"/><camera name="a"/><camera name="b" projection="orthographic"/>' +
        '</worldbody></mujoco>',
    )
    expect(readCameras(model).map(({ name, perspective }) => [name, perspective])).toEqual([
      ['a', true],
      ['b', false],
    ])
  })
})
