/** An arm of one joint that turns by what a camera sees: its card, and policies of its picture alone. */
import { field, onnx, varint } from '../../../formats/test/policy/policy-files.ts'

/** The name of the input that takes the picture. */
export const EYE = 'observation.images.eye'

export const armCard = {
  dof: 1,
  actuators: [{ name: 'pivot', joints: ['pivot'], mode: 'torque' }],
  mjcf_path: 'robot.xml',
  interface: {
    ...{ version: 1, base: 'fixed', joint_order: ['pivot'], control_rate_hz: 10 },
    actuation: [{ joints: ['pivot'], mode: 'torque' }],
    action: { semantics: 'torque', scale: 1 },
  },
}

const weight = (name: string, shape: readonly number[], numbers: Float32Array) => [
  field(1, Buffer.concat(shape.map(varint))),
  ...[field(2, 1), field(8, name), field(9, Buffer.from(numbers.buffer))],
]

const node = (kind: string, inputs: readonly string[], output: string, ...attributes: readonly Buffer[]) => [
  ...inputs.map((name) => field(1, name)),
  ...[field(2, output), field(4, kind), ...attributes],
]

const policyOf = (side: number, weights: readonly Buffer[][], nodes: readonly Buffer[][]) =>
  onnx({ inputs: { [EYE]: ['batch', 3, side, side] }, outputs: { actions: ['batch', 1] }, weights, nodes })

/** The sum of all numbers of the picture, each times its weight: planes of colors of `side` by `side`. */
export const weighing = (side: number, weights: Float32Array): Buffer =>
  policyOf(
    side,
    [weight('w', [weights.length, 1], weights)],
    [node('Flatten', [EYE], 'flat'), node('MatMul', ['flat', 'w'], 'actions')],
  )

/** Channels after each layer of `convolving`. */
const LAYERS = [16, 32, 64, 64] as const
/** The side of its kernels: even, so that the middle of a map is that of the picture. */
const KERNEL = 4

/**
 * Four layers of convolutions that halve the picture, each before a ReLU: the first channel is the mean of the red
 * around each place, and the others are numbers that the last layer weighs with nothing. `weights`: of the red of each
 * column of the last map.
 */
export function convolving(side: number, ofColumn: (column: number, columns: number) => number): Buffer {
  const ints = (name: string, values: readonly number[]) =>
    field(5, [field(1, name), ...values.map((value) => field(8, value)), field(20, 7)])
  const last = side / 2 ** LAYERS.length
  const kernels = LAYERS.map((channels, at) => {
    const [before, cells] = [LAYERS[at - 1] ?? 3, KERNEL * KERNEL]
    const numbers = Float32Array.from({ length: channels * before * cells }, (_, place) => Math.sin(place) / cells)
    numbers.fill(0, 0, before * cells).fill(1 / cells, 0, cells)
    return weight(`k${at}`, [channels, before, KERNEL, KERNEL], numbers)
  })
  const ends = new Float32Array((LAYERS.at(-1) ?? 0) * last * last)
  for (let place = 0; place < last * last; place += 1) ends[place] = ofColumn(place % last, last)
  const layers = LAYERS.flatMap((_, at) => [
    node(
      'Conv',
      [at === 0 ? EYE : `r${at - 1}`, `k${at}`],
      `c${at}`,
      ints('strides', [2, 2]),
      ints('pads', [1, 1, 1, 1]),
    ),
    node('Relu', [`c${at}`], `r${at}`),
  ])
  return policyOf(
    side,
    [...kernels, weight('w', [ends.length, 1], ends)],
    [...layers, node('Flatten', [`r${LAYERS.length - 1}`], 'flat'), node('MatMul', ['flat', 'w'], 'actions')],
  )
}
