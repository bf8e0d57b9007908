/** Pictures that a policy sees: which they are, and what becomes of their pixels. */
import { observationOf } from '@hub/policy-server/wire/observation'
import type { TensorSpec } from '@hub/policy-server/wire/tensors'
import type { CameraFacts } from '@hub/robot-view/scene/scene'
import { describe, expect, test } from 'vitest'
import { calm } from '../src/loop/calm.ts'
import { LoopLacks, openLoop, runToEnd } from '../src/loop/closed-loop.ts'
import type { AskedPicture, PictureSource } from '../src/loop/eyes.ts'
import { pictureArray } from '../src/loop/picture-array.ts'
import { type Picture, picturesOf } from '../src/loop/pictures.ts'
import { enduring } from '../src/task-schema.ts'
import { pendulum, worldOf } from './support/simulated.ts'

const image = (shape: TensorSpec['shape'], said: Partial<TensorSpec> = {}): TensorSpec => ({
  ...{ name: 'observation.images.front', type: 'float32', shape },
  ...said,
})
const bytes = (shape: TensorSpec['shape']) => image(shape, { name: 'front', type: 'uint8' })
const camera = (said: object = {}) => ({ cameras: [{ name: 'front', ...said }] })

function one(input: TensorSpec, contract: unknown): Picture {
  const { pictures, lacks } = picturesOf([input], contract)
  expect(lacks).toEqual([])
  expect(pictures).toHaveLength(1)
  return pictures[0] as Picture
}

describe('a picture is known by its input and the camera of the contract', () => {
  test.each([
    [image(['batch', 3, 48, 64]), null, { name: 'front', width: 64, height: 48, layout: 'chw', color: 'rgb' }],
    [bytes([1, 48, 64, 3]), null, { width: 64, height: 48, layout: 'hwc', numbers: null }],
    [bytes([48, 64, 3]), camera({ color: 'bgr' }), { layout: 'hwc', color: 'bgr' }],
    [image(['', 3, 'h', 'w']), camera({ width: 32, height: 24 }), { width: 32, height: 24, layout: 'chw' }],
    [bytes([3, 9, 3]), camera({ layout: 'hwc' }), { width: 9, height: 3, layout: 'hwc' }],
    [bytes(['h', 'w', 'c']), camera({ layout: 'hwc', width: 8, height: 6 }), { width: 8, height: 6, color: 'rgb' }],
    [bytes([1, 1, 8, 8]), camera({ color: 'gray' }), { layout: 'chw', color: 'gray' }],
    [image([1, 3, 8, 8], { name: 'x' }), camera({ input: 'x' }), { name: 'front' }],
    [image([1, 3, 8, 8], { name: 'base_0_rgb' }), camera({ vla_slot: 'base_0_rgb' }), { name: 'front' }],
  ] as [TensorSpec, unknown, object][])('%#', (input, contract, expected) => {
    expect(one(input, contract)).toMatchObject(expected)
  })

  test('floats are from 0 to 1 unless the contract says a scale, and a default is said', () => {
    const input = image([1, 3, 8, 8])
    expect(one(input, camera()).numbers).toEqual({ scale: 1 / 255, mean: [0, 0, 0], std: [1, 1, 1] })
    expect(picturesOf([input], camera()).notes).toEqual([
      'The contract says no scale of "front": its pictures are numbers from 0 to 1.',
    ])
    const said = { scale: 2, mean: [1, 2, 3], std: [4, 5, 6] }
    expect(one(input, camera(said)).numbers).toEqual(said)
    expect(picturesOf([input], camera(said)).notes).toEqual([])
    expect(one(input, { ...camera(), observation: { scales: { front: 1 } } }).numbers?.scale).toBe(1)
    // The largest that all bytes have room for, and a name that each object has a member of.
    expect(one(input, camera({ scale: 1e36 })).numbers?.scale).toBe(1e36)
    const plain = image([1, 3, 8, 8], { name: 'constructor' })
    expect(one(plain, { observation: { scales: {} } }).numbers?.scale).toBe(1 / 255)
  })

  test('the one input and the one camera that are left belong together, and that is said', () => {
    const { pictures, notes } = picturesOf([image([1, 3, 8, 8], { name: 'pixels' })], camera({ scale: 1 }))
    expect(pictures[0]?.name).toBe('front')
    expect(notes.join()).toContain('The input "pixels" gets the camera "front"')
    const two = [image([1, 3, 8, 8], { name: 'a' }), image([1, 3, 8, 8], { name: 'b' })]
    const apart = picturesOf(two, camera())
    expect(apart.pictures.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(apart.notes.join()).toContain('names the camera "front", which no input takes')
  })

  test.each([
    [
      image([1, 4, 8, 8]),
      null,
      /"front": its input "observation.images.front" has the shape \[1,4,8,8\]: colors are 3/,
    ],
    [bytes([3, 8, 3]), null, /"layout" \(chw, hwc\) says which/],
    [bytes([3, 8, 8]), camera({ layout: 'hwc' }), /"layout"/],
    [image([2, 5, 3, 8, 8]), null, /one picture has rows, columns and colors/],
    [image([2, 3, 8, 8]), null, /one picture has rows, columns and colors/],
    [image([1, 3, 'h', 'w']), null, /\[1,3,h,w\], and its contract says no other size/],
    [image([1, 3, 8, 8]), camera({ width: 9, height: 8 }), /and its contract says 9 x 8 pixels/],
    [image([1, 3, 8, 4096]), null, /4096 x 8 pixels, and a side has 1 to 2048/],
    [image([1, 3, 0, 8]), null, /8 x 0 pixels, and a side has 1/],
    [image([1, 1, 8, 8]), null, /gray only if its contract says "color": "gray"/],
    [image([1, 3, 8, 8]), camera({ color: 'gray' }), /says the color gray: 1 channel/],
    [image([1, 3, 8, 8]), camera({ color: 'depth' }), /"depth", which is none of/],
    [image([1, 3, 8, 8]), camera({ mean: [1] }), /"mean" or "std" that are not 3 numbers/],
    [image([1, 3, 8, 8]), camera({ std: [1, 0, 1] }), /"mean" or "std"/],
    [image([1, 3, 8, 8]), camera({ scale: 1e300 }), /"scale", "mean" and "std" of its contract make numbers beyond/],
    [image([1, 3, 8, 8]), camera({ scale: 1, std: [1, 1, 5e-324] }), /make numbers beyond a float32/],
    [image([1, 3, 8, 8]), camera({ mean: [0, -1e39, 0] }), /make numbers beyond a float32/],
    [image([1, 3, 8, 8], { type: 'float64' }), camera({ scale: 2e36 }), /make numbers beyond a float32/],
    [image([1, 3, 8, 8]), camera({ scale: Number.POSITIVE_INFINITY }), /"scale" that is not one number/],
    [image([1, 3, 8, 8]), { observation: { scales: { front: [1, 1, 1] } } }, /"scale" that is not one number/],
    [image([1, 3, 8, 8], { type: 'int8' }), null, /is of int8, which holds no byte/],
    [image([1, 3, 8, 8], { type: 'bool' }), null, /is of bool, which holds no byte/],
    [bytes([1, 3, 8, 8]), camera({ scale: 0.5 }), /"front" is of uint8: bytes are not scaled/],
  ] as [TensorSpec, unknown, RegExp][])('what is wrong with one is said by its name: %#', (input, contract, said) => {
    const { pictures, lacks } = picturesOf([input], contract)
    expect(pictures).toEqual([])
    expect(lacks.join('\n')).toMatch(said)
  })

  test('numbers are not pictures: two sizes, or three without colors, or that a term fills', () => {
    const numbers = image(['batch', 8], { name: 'obs' })
    const rows = image([1, 1, 8], { name: 'obs' })
    const contract = { observation: { blocks: ['joint_pos'] } }
    const memory = image([1, 1, 256], { name: 'h_in' })
    expect(picturesOf([numbers, memory], null).others).toEqual([numbers, memory])
    expect(picturesOf([rows], contract).others).toEqual([rows])
    expect(picturesOf([bytes([8, 8, 3])], { ...camera(), observation: { blocks: ['front'] } }).others).toEqual([])
    const many = Array.from({ length: 17 }, (_, at) => image([1, 3, 8, 8], { name: `c${at}` }))
    expect(picturesOf(many, null).lacks).toEqual(['The policy sees 17 pictures: 16 are drawn.'])
  })

  test('all pictures together have a limit too', () => {
    const all = (rows: number) => [1024, 1024, rows].map((size, at) => image([1, 3, size, 1024], { name: `c${at}` }))
    const said = 'The policy sees 2098176 pixels in all: 2097152 are drawn.'
    expect(picturesOf(all(1), null).lacks).toEqual([said])
    expect(picturesOf(all(1).slice(1), null).lacks).toEqual([])
    expect(picturesOf(all(1024).slice(1), null).lacks).toEqual([])
  })
})

/** Two rows of two pixels: red and green over blue and a mixture. */
const pixels = Uint8Array.from([255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 10, 20, 30, 255])

describe('pixels become the tensor of an input', () => {
  const fed = (input: TensorSpec, contract: unknown) => {
    const tensor = observationOf([input], { [input.name]: pictureArray(one(input, contract), pixels) }).feeds[
      input.name
    ]
    return { dims: tensor?.dims, data: Array.from(tensor?.data as Uint8Array, Number) }
  }

  test('plane by plane or pixel by pixel, as bytes, from the top', () => {
    const planes = [255, 0, 0, 10, 0, 255, 0, 20, 0, 0, 255, 30]
    const rows = [255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30]
    expect(fed(bytes([1, 3, 2, 2]), null)).toEqual({ dims: [1, 3, 2, 2], data: planes })
    expect(fed(bytes(['batch', 2, 2, 3]), null)).toEqual({ dims: [1, 2, 2, 3], data: rows })
    expect(fed(bytes([2, 2, 3]), null)).toEqual({ dims: [2, 2, 3], data: rows })
    expect(fed({ ...bytes([2, 2, 3]), type: 'int64' }, null)).toEqual({ dims: [2, 2, 3], data: rows })
  })

  test('in the order of its colors, or gray', () => {
    expect(fed(bytes([2, 2, 3]), camera({ color: 'bgr' })).data.slice(-3)).toEqual([30, 20, 10])
    expect(fed(bytes([2, 2, 1]), camera({ color: 'gray' })).data).toEqual([76, 150, 29, 18])
  })

  test('scaled, less the mean, through the deviation of each channel', () => {
    expect(fed(image([1, 3, 2, 2]), null).data.slice(0, 4)).toEqual([1, 0, 0, Math.fround(10 / 255)])
    const said = camera({ scale: 1, mean: [5, 0, 0], std: [1, 2, 1] })
    expect(fed(image([1, 3, 2, 2]), said).data).toEqual([250, -5, -5, 5, 0, 127.5, 0, 10, 0, 0, 255, 30])
    expect(fed(image([1, 3, 2, 2], { type: 'float64' }), said).data[0]).toBe(250)
  })

  test('only where they are as many as the picture has', () => {
    expect(() => pictureArray(one(bytes([1, 2, 4, 3]), null), pixels)).toThrow('"front" has 16 bytes, not 32')
  })
})

const facts = (name: string): CameraFacts => ({
  ...{ name, field_of_view: 45, resolution: null, perspective: true },
})

describe('a policy that sees a picture and its joints', () => {
  const { face, contract } = pendulum
  const inputs: readonly TensorSpec[] = [
    { name: 'state', type: 'float32', shape: ['batch', 2] },
    image(['batch', 3, 2, 2]),
  ]
  /** Turns one way for red and the other way for blue. */
  const policy = {
    inputs,
    outputs: [{ name: 'actions', type: 'float32', shape: ['batch', 1] }],
    run: (
      feeds: Readonly<Record<string, { readonly data: ArrayLike<number | bigint>; readonly dims: readonly number[] }>>,
    ) => {
      const [seen, state] = [feeds['observation.images.front'], feeds.state]
      expect([seen?.dims, state?.dims]).toEqual([
        [1, 3, 2, 2],
        [1, 2],
      ])
      const data = Float32Array.of(Number(seen?.data[0]) - Number(seen?.data[8]))
      return Promise.resolve({ actions: { type: 'float32' as const, dims: [1, 1], data } })
    },
  } as const
  const world = worldOf(
    '<mujoco><worldbody><camera name="front"/>' +
      '<body><joint name="pivot"/><geom size=".1" mass="1"/></body></worldbody>' +
      '<actuator><motor joint="pivot"/></actuator></mujoco>',
  )
  const given = { world, face, contract, map: null, policy, task: { ...enduring, seconds: 0.5 }, seed: 1 }
  const source = (color: readonly number[], asked: AskedPicture[][] = []): PictureSource => ({
    cameras: [facts('front')],
    ...{ chosen: {}, choice: 'list' },
    draw(pictures) {
      asked.push([...pictures])
      return Promise.resolve(pictures.map(() => Uint8Array.from([0, 1, 2, 3].flatMap(() => color))))
    },
  })

  test('does what the picture says, which is drawn for each decision', async () => {
    const asked: AskedPicture[][] = []
    const turn = async (color: readonly number[], noise = 0) => {
      const disturbance = { ...calm, observationNoise: noise }
      const loop = openLoop({ ...given, disturbance, drawn: source(color, asked) })
      await runToEnd(loop)
      loop.close()
      expect(loop.notes.join()).toContain('its motion may differ')
      return loop.episode().map(({ action }) => action[0])
    }
    const red = await turn([255, 0, 0, 255])
    expect(new Set(red)).toEqual(new Set([1]))
    expect(asked).toHaveLength(red.length)
    expect(asked[0]).toEqual([{ name: 'front', camera: 0, width: 2, height: 2 }])
    expect(new Set(await turn([0, 0, 255, 255], 0.5))).toEqual(new Set([-1]))
  })

  test('is refused by the names of its cameras where nothing draws them', () => {
    const open = (drawn: PictureSource | null) => () => openLoop({ ...given, disturbance: calm, drawn }).close()
    expect(open(null)).toThrow(LoopLacks)
    expect(open(null)).toThrow('The policy sees pictures of "front" (2 x 2): nothing here draws them.')
    expect(open({ ...source([]), cameras: [facts('left')] })).toThrow('Choose one of "left".')
    expect(open({ ...source([]), chosen: { wrist: 'front' } })).toThrow('no picture of this name, but "front".')
  })

  test('is shown what the chosen camera sees, and says that it was chosen', async () => {
    const asked: AskedPicture[][] = []
    const cameras = [facts('front'), facts('left')]
    const chosen = { front: 'left' }
    const loop = openLoop({ ...given, disturbance: calm, drawn: { ...source([0, 0, 0, 255], asked), cameras, chosen } })
    await loop.decide()
    loop.close()
    expect(asked[0]?.map(({ name, camera }) => [name, camera])).toEqual([['front', 1]])
    expect(loop.cameras).toEqual(chosen)
  })
})
