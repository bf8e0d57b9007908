/**
 * A policy of three joints that can be calculated by hand: each of four steps moves the joints by a tenth of the step's
 * number times what was observed.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { field, onnx, varint } from '../../../formats/test/policy/policy-files.ts'

const joints = 3
const steps = 4

const dims = (...sizes: number[]) => field(1, Buffer.concat(sizes.map((size) => varint(size))))

function weights(): Buffer {
  const rows = new Float32Array(joints * steps * joints)
  for (let joint = 0; joint < joints; joint += 1)
    for (let step = 0; step < steps; step += 1) rows[joint * steps * joints + step * joints + joint] = (step + 1) / 10
  return Buffer.from(rows.buffer)
}

/** `obs` float32 [batch,3] to `actions` float32 [batch,4,3]. */
export const smallPolicy = (metadata: Readonly<Record<string, string>> = {}): Buffer =>
  onnx({
    inputs: { obs: ['batch', joints] },
    outputs: { actions: ['batch', steps, joints] },
    weights: [
      [dims(joints, steps * joints), field(2, 1), field(8, 'w'), field(9, weights())],
      [dims(3), field(2, 7), field(8, 'shape'), field(9, Buffer.from(BigInt64Array.of(-1n, 4n, 3n).buffer))],
    ],
    nodes: [
      [field(1, 'obs'), field(1, 'w'), field(2, 'flat'), field(4, 'MatMul')],
      [field(1, 'flat'), field(1, 'shape'), field(2, 'actions'), field(4, 'Reshape')],
    ],
    metadata,
  })

/** What it answers to one observation. */
export const actionsFor = (obs: readonly number[]): number[][] =>
  Array.from({ length: steps }, (_, step) => obs.map((value) => Math.fround(Math.fround((step + 1) / 10) * value)))

/** A model that never comes to an end: a loop with as many rounds as there are numbers. */
export const endlessPolicy = (): Buffer => {
  const body = [
    field(1, [field(1, 'condition_in'), field(2, 'condition_out'), field(4, 'Identity')]),
    field(1, [field(1, 'state_in'), field(2, 'state_out'), field(4, 'Identity')]),
    field(2, 'body'),
    ...[value('round', 7, []), value('condition_in', 9, []), value('state_in', 1, ['batch', joints])].map((one) =>
      field(11, one),
    ),
    ...[value('condition_out', 9, []), value('state_out', 1, ['batch', joints])].map((one) => field(12, one)),
  ]
  const attribute = field(5, [field(1, 'body'), field(6, body), field(20, 5)])
  return onnx({
    inputs: { obs: ['batch', joints] },
    outputs: { actions: ['batch', joints] },
    weights: [
      [field(2, 7), field(8, 'rounds'), field(9, Buffer.from(BigInt64Array.of(2n ** 62n).buffer))],
      [field(2, 9), field(8, 'go'), field(9, Buffer.from([1]))],
    ],
    nodes: [[field(1, 'rounds'), field(1, 'go'), field(1, 'obs'), field(2, 'actions'), field(4, 'Loop'), attribute]],
  })
}

function value(name: string, type: number, shape: readonly (number | string)[]): Buffer[] {
  const sizes = shape.map((size) => field(1, [field(typeof size === 'number' ? 1 : 2, size)]))
  return [field(1, name), field(2, [field(1, [field(1, type), field(2, sizes)])])]
}

/** A folder with the file `model.onnx`. */
export async function writtenPolicy(
  bytes: Buffer,
): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-policy-server-'))
  const path = join(folder, 'model.onnx')
  await writeFile(path, bytes)
  return { path, remove: () => rm(folder, { recursive: true, force: true }) }
}
