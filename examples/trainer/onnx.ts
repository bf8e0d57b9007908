/**
 * A checkpoint as an ONNX file and its contract, for the robot in examples/pendulum/robot:
 * `node onnx.ts checkpoints/step_120 out`. The file is a message of Protocol Buffers, written byte by byte.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parameterCount } from './policy.ts'

type Bytes = Buffer

function varint(value: number): Bytes {
  const bytes: number[] = []
  let rest = value
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) + 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return Buffer.from([...bytes, rest])
}

/** A field of a message: a number, a text, bytes, or the fields of a message within. */
function field(number: number, value: number | string | Bytes | readonly Bytes[]): Bytes {
  if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)])
  const bytes = Array.isArray(value) ? Buffer.concat(value) : Buffer.from(value as string)
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
}

const FLOAT = 1
const tensor = (name: string, dims: readonly number[], values: readonly number[]) =>
  field(5, [
    ...dims.map((size) => field(1, size)),
    field(2, FLOAT),
    field(8, name),
    field(9, Buffer.from(Float32Array.from(values).buffer)),
  ])

const node = (type: string, inputs: readonly string[], output: string, axis?: number) =>
  field(1, [
    ...inputs.map((name) => field(1, name)),
    field(2, output),
    field(4, type),
    ...(axis === undefined ? [] : [field(5, [field(1, 'axis'), field(3, axis), field(20, 2)])]),
  ])

const value = (number: number, name: string, width: number) =>
  field(number, [
    field(1, name),
    field(2, [field(1, [field(1, FLOAT), field(2, [field(1, [field(2, 'batch')]), field(1, [field(1, width)])])])]),
  ])

/** From the angle and the speed of the pivot to a torque between -1 and 1. */
function onnxOf(parameters: readonly number[], hidden: number): Bytes {
  const rows = Array.from({ length: hidden }, (_, unit) => parameters.slice(5 * unit, 5 * unit + 5))
  const column = (at: number) => rows.map((row) => row[at] ?? 0)
  const graph = [
    node('MatMul', ['obs', 'angle_of'], 'angle'),
    node('MatMul', ['obs', 'speed_of'], 'speed'),
    node('Cos', ['angle'], 'cos'),
    node('Sin', ['angle'], 'sin'),
    node('Concat', ['cos', 'sin', 'speed'], 'seen', 1),
    node('MatMul', ['seen', 'into'], 'sums'),
    node('Add', ['sums', 'bias'], 'biased'),
    node('Tanh', ['biased'], 'units'),
    node('MatMul', ['units', 'out'], 'sum'),
    node('Add', ['sum', 'last'], 'torque'),
    node('Tanh', ['torque'], 'actions'),
    field(2, 'swing_up'),
    tensor('angle_of', [2, 1], [1, 0]),
    tensor('speed_of', [2, 1], [0, 0.25]),
    tensor('into', [3, hidden], [...column(0), ...column(1), ...column(2)]),
    tensor('bias', [hidden], column(3)),
    tensor('out', [hidden, 1], column(4)),
    tensor('last', [1], [parameters[5 * hidden] ?? 0]),
    value(11, 'obs', 2),
    value(12, 'actions', 1),
  ]
  return Buffer.concat([
    field(1, 8),
    field(2, 'examples/trainer'),
    field(7, graph),
    field(8, [field(1, ''), field(2, 17)]),
  ])
}

const contract = (params: number) => ({
  control_class: 'reflex',
  policy_type: 'mlp',
  params,
  contract: {
    version: 1,
    joint_order: ['pivot'],
    action: { semantics: 'torque', scale: 5, clip: 1 },
    control_rate_hz: 20,
    observation: { blocks: ['joint_pos', 'joint_vel'] },
  },
})

const [checkpoint = '', out = ''] = process.argv.slice(2)
const read: unknown = JSON.parse(readFileSync(join(checkpoint, 'policy.json'), 'utf8'))
const { hidden, parameters } = read as { hidden: number; parameters: number[] }
mkdirSync(out, { recursive: true })
writeFileSync(join(out, 'policy.onnx'), onnxOf(parameters, hidden))
writeFileSync(join(out, 'contract.json'), `${JSON.stringify(contract(parameterCount(hidden)), null, 2)}\n`)
