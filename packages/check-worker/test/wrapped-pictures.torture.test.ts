/**
 * The pictures of a model, as its cameras see them wrapped around its shapes: by a whole Chromium, pixel by pixel.
 * Everything shines by itself and stands alone before its camera.
 */
import { compileModel, putFile } from '@hub/robot-view/physics/compile'
import { openMujoco } from '@hub/robot-view/physics/mujoco'
import { posesAt } from '@hub/robot-view/physics/poses-at'
import { readCameras } from '@hub/robot-view/physics/read-cameras'
import { readLitScene } from '@hub/robot-view/physics/read-scene'
import { encodeScene } from '@hub/robot-view/scene/scene-bytes'
import { needs } from '@hub/testing/needs'
import { beforeAll, describe, expect, it } from 'vitest'
import { findChromium } from '../src/stills/find-chromium.ts'
import { openSightDrawer } from '../src/stills/sight-drawer.ts'

/** Not `HUB_CHROMIUM`, which may be off: one scene takes seconds. */
const chromium = await findChromium(process.env.HUB_TEST_CHROMIUM, process.env.PATH)
const SIDE = 32
/** They end what hangs, on a machine that draws by its processor. */
const limits = { timeS: 600, memoryMiB: 2_048, startMs: 120_000, drawMs: 120_000 }

/** Of two squares each way: the first of the first row is red. */
const checker = '<texture name="checker" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="64" height="64"/>'
/** From red at the y axis to blue. */
const gradient = (type: string) =>
  `<texture name="${type}" type="${type}" builtin="gradient" rgb1="1 0 0" rgb2="0 0 1" width="32" height="192"/>`
const material = (name: string, said: string) => `<material name="${name}" emission="1" ${said}/>`
/** A square whose corners are those of a picture, over a point that makes a body of it. */
const square = `v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nv 0 0 -1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1
f 1/1 2/2 3/3\nf 1/1 3/3 4/4\nf 2/1 1/1 5/1\nf 3/1 2/1 5/1\nf 4/1 3/1 5/1\nf 1/1 4/1 5/1\n`

/** Each stands 100 m from the last, below a camera that sees 2 m of its top. */
const subjects = {
  plane: 'type="plane" size="1 1 1" material="checker"',
  twice: 'type="plane" size="1 1 1" material="twice"',
  box: 'type="box" size="1 1 1" material="checker"',
  mesh: 'type="mesh" mesh="square" material="checker"',
  ball: 'type="sphere" size="1" material="cube"',
  own: 'type="box" size="1 1 1" material="checker" rgba="0 0 1 1"',
}
type Subject = keyof typeof subjects | 'endless' | 'endlessFar' | 'sky'
const names: readonly Subject[] = [
  ...(Object.keys(subjects) as (keyof typeof subjects)[]),
  'endless',
  'endlessFar',
  'sky',
]

const fovy = (360 / Math.PI) * Math.atan(0.1)
const placed = (geom: string, name: string, at: number) =>
  `<geom pos="${100 * at} 0 0" ${geom}/><camera name="${name}" pos="${100 * at} 0 ${/box/.test(geom) ? 11 : 10}" fovy="${fovy}"/>`
const xml = `<mujoco><visual><headlight active="0"/></visual><statistic extent="20" center="0 0 0"/>
  <asset>${checker}${gradient('cube')}${gradient('skybox')}
    ${material('checker', 'texture="checker"')}${material('cube', 'texture="cube"')}
    ${material('twice', 'texture="checker" texrepeat="2 1" rgba="1 1 0 1"')}
    ${material('metric', 'texture="checker" texuniform="true"')}
    <mesh name="square" file="square.obj" inertia="shell"/></asset>
  <worldbody>${Object.entries(subjects)
    .map(([name, geom], at) => placed(geom, name, at))
    .join('')}
    <geom type="plane" size="0 0 1" pos="0 0 -5" material="metric"/>
    <camera name="endless" pos="0 -40 5" fovy="${fovy}"/>
    <camera name="endlessFar" pos="3000 -8040 5" fovy="${fovy}"/>
    <camera name="sky" pos="0 -40 5" xyaxes="0 -1 0 0 0 1" fovy="90"/></worldbody></mujoco>`

/** The color at a place of a picture, both 0 to 1 from the left and the top, in words where it is a strong one. */
type Seen = (x: number, y: number) => string

function seenIn(picture: string | undefined): Seen {
  const pixels = Buffer.from(picture ?? '', 'base64')
  return (x, y) => {
    const at = 4 * (Math.floor(y * SIDE) * SIDE + Math.floor(x * SIDE))
    const [red = 0, green = 0, blue = 0] = pixels.subarray(at, at + 3)
    return [red > 200 && 'red', green > 200 && 'green', blue > 200 && 'blue'].filter(Boolean).join(' and ') || 'none'
  }
}

describe('the pictures of a model, as its cameras see them', needs('missing' in chromium && chromium.missing), () => {
  const seen = new Map<Subject, Seen>()

  beforeAll(async () => {
    const engine = await openMujoco(() => undefined)
    putFile(engine.files, 'square.obj', Buffer.from(square))
    putFile(engine.files, 'model.xml', xml)
    const compiled = compileModel(engine, 'model.xml')
    if ('refused' in compiled) throw new Error(compiled.refused)
    const { model } = compiled
    const data = new engine.mujoco.MjData(model)
    engine.mujoco.mj_forward(model, data)
    const cameras = readCameras(model)
    const poses = posesAt(model, data, cameras.length)
    const drawer = await openSightDrawer({
      program: 'program' in chromium ? chromium.program : '',
      scene: encodeScene(readLitScene(engine, model, data, 2 ** 26)),
      ...{ cameras, limits, signal: new AbortController().signal },
    })
    try {
      const asked = names.map((name) => ({
        ...{ camera: cameras.findIndex((camera) => camera.name === name), width: SIDE, height: SIDE },
      }))
      const drawn = await drawer.see({ asked, bodies: [...poses.bodies], cameras: [...poses.cameras] })
      for (const [at, name] of names.entries()) seen.set(name, seenIn(drawn[at]))
    } finally {
      await drawer.end()
    }
  }, 300_000)

  const at = (name: Subject, x: number, y: number) => seen.get(name)?.(x, y)
  const corners = (name: Subject, near = 0.25, far = 0.75) => [
    [at(name, near, near), at(name, far, near)],
    [at(name, near, far), at(name, far, far)],
  ]
  const CHECKED = [
    ['red', 'blue'],
    ['blue', 'red'],
  ]

  it.each(['plane', 'box', 'mesh'] as const)('a %s has its picture once, from -x and +y on', (name) => {
    expect(corners(name)).toEqual(CHECKED)
  })

  it('a plane has it as often as its material says, in the color of the material', () => {
    expect([0.1, 0.35, 0.6, 0.85].map((x) => at('twice', x, 0.25))).toEqual(['red', 'none', 'red', 'none'])
  })

  it('a geom with a color of its own has it in that one', () => {
    expect(corners('own')).toEqual([
      ['none', 'blue'],
      ['blue', 'none'],
    ])
  })

  it('an endless plane has it every 2 m, with the middle of one at its origin', () => {
    // The camera sees 2 m of it, 40 m from there.
    expect(corners('endless')).toEqual(CHECKED)
    // 8.6 km away it is there too, and its pictures where they would be.
    expect(corners('endlessFar')).toEqual(CHECKED)
  })

  it('a cube is looked up by the direction in its shape', () => {
    expect([at('ball', 0.5, 0.05), at('ball', 0.5, 0.5), at('ball', 0.5, 0.95)]).toEqual(['red', 'none', 'blue'])
  })

  it('the sky stands upright behind everything', () => {
    expect([at('sky', 0.5, 0.02), at('sky', 0.5, 0.4)]).toEqual(['red', 'none'])
  })
})
