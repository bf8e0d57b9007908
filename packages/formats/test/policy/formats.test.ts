// @module-tag sampled
/**
 * Policies are untrusted files: their headers are read completely or rejected with a reason, and weights are never
 * read.
 */
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { itInTorture } from '@hub/testing/torture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readInPlaces } from '../../src/policy/local-bytes.ts'
import { readOnnxHeader } from '../../src/policy/onnx-header.ts'
import { readSafetensorsContent, readSafetensorsHeader } from '../../src/policy/safetensors-header.ts'
import { externalWeight, field, onnx, safetensors, safetensorsWith, varint } from './policy-files.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hub-policy-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function written(bytes: Buffer): Promise<string> {
  const path = join(folder, 'policy.bin')
  await writeFile(path, bytes)
  return path
}

const onnxHeader = (path: string) => readInPlaces(path, readOnnxHeader)
const safetensorsHeader = (path: string) => readInPlaces(path, readSafetensorsHeader)

describe('an ONNX header', () => {
  it('contains inputs, outputs, symbolic sizes, metadata, operators, producer and parameters', async () => {
    const path = await written(onnx({ metadata: { control_class: 'reflex' } }))
    expect(await onnxHeader(path)).toEqual({
      irVersion: 9,
      producer: 'pytorch 2.5.0',
      opsets: { 'ai.onnx': 17 },
      inputs: [{ name: 'obs', type: 'float32', shape: ['batch', 48] }],
      outputs: [{ name: 'actions', type: 'float32', shape: ['batch', 12] }],
      metadata: { control_class: 'reflex' },
      params: 48 * 12,
      externalFiles: [],
    })
  })

  it('omits weights that an older exporter lists among the inputs', async () => {
    const path = await written(onnx({ inputs: { obs: [1, 48], w: [48, 12] } }))
    expect((await onnxHeader(path)).inputs.map(({ name }) => name)).toEqual(['obs'])
  })

  it('names external files of the model, and counts their parameters', async () => {
    const path = await written(onnx({ weights: [externalWeight('w.data')] }))
    expect(await onnxHeader(path)).toMatchObject({ params: 1000, externalFiles: ['w.data'] })
  })

  it('is read without its weights', async () => {
    const path = join(folder, 'large.onnx')
    const sizeBytes = 2 ** 30
    const weight = [field(1, sizeBytes / 4), field(2, 1), field(8, 'w')]
    const rawHead = Buffer.concat([varint(9 * 8 + 2), varint(sizeBytes)])
    const tensorHead = Buffer.concat([...weight, rawHead])
    const initializer = Buffer.concat([varint(5 * 8 + 2), varint(tensorHead.length + sizeBytes), tensorHead])
    const graph = Buffer.concat([varint(7 * 8 + 2), varint(initializer.length + sizeBytes), initializer])
    const file = await open(path, 'w')
    await file.write(graph)
    await file.truncate(graph.length + sizeBytes)
    await file.close()
    const before = process.memoryUsage().arrayBuffers
    expect((await onnxHeader(path)).params).toBe(sizeBytes / 4)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024)
  })

  const whole = onnx()
  const hostile: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
    'nothing at all': [Buffer.alloc(0), /no graph/],
    'a text': [Buffer.from('version https://git-lfs.github.com/spec/v1\n'), /type that is not read|middle of/],
    'a file that ends early': [whole.subarray(0, whole.length / 2), /middle of a field/],
    'a length past the end': [Buffer.concat([varint(7 * 8 + 2), varint(2 ** 31)]), /middle of a field/],
    'a length of 64 bits': [Buffer.concat([varint(7 * 8 + 2), varint(2n ** 64n - 1n)]), /middle of a field/],
    'a number without an end': [Buffer.alloc(20, 0xff), /middle of a number/],
    'a field within that leaves its message': [
      field(7, [field(11, Buffer.concat([varint(8 + 2), varint(99)]))]),
      /middle of a field/,
    ],
    'weights that claim 2^62 elements': [
      onnx({
        weights: [[field(1, Buffer.concat([varint(2n ** 31n), varint(2n ** 31n)])), field(2, 1), field(8, 'w')]],
      }),
      /impossible shape/,
    ],
    'weights that claim more than they hold': [
      onnx({ weights: [[field(1, 1_000_000), field(2, 1), field(8, 'w'), field(9, Buffer.alloc(4))]] }),
      /not as large as their shape/,
    ],
    'names of megabytes': [
      field(
        7,
        Array.from({ length: 20 }, () => field(11, [field(1, 'x'.repeat(2 ** 20))])),
      ),
      /names and texts are over/,
    ],
    'a tensor of a thousand sizes': [
      onnx({ inputs: { obs: Array.from({ length: 1000 }, () => 1) } }),
      /more than 64 sizes/,
    ],
    'two graphs': [Buffer.concat([whole, whole]), /two graphs/],
    'inputs without number': [
      field(
        7,
        Array.from({ length: 1100 }, () => field(11, [field(1, 'x')])),
      ),
      /inputs or outputs/,
    ],
  }
  it.each(Object.entries(hostile))('refuses %s', async (_, [bytes, reason]) => {
    const path = await written(bytes)
    await expect(onnxHeader(path)).rejects.toThrow(reason)
  })

  itInTorture('stops at a maximum number of fields, in bounded time', async () => {
    const path = await written(field(7, Buffer.alloc(6_000_000, Buffer.from([0x0a, 0x00]))))
    const before = process.cpuUsage()
    await expect(onnxHeader(path)).rejects.toThrow(/more than 2000000 fields/)
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(20)
  })

  it('refuses a weight of many sizes, in time that grows with the file and not with the product of them', async () => {
    const size = field(1, 0xff_ffff_ffff)
    const weighing = (sizes: Buffer) => field(7, [field(5, [sizes])])
    for (const bytes of [Buffer.alloc(200_000 * size.length, size), field(1, Buffer.alloc(1_500_000, 1))]) {
      const path = await written(weighing(bytes))
      const before = process.threadCpuUsage()
      await expect(onnxHeader(path)).rejects.toThrow('A tensor has more than 64 sizes.')
      expect(process.threadCpuUsage(before).user / 1e6).toBeLessThan(2)
    }
    const many = field(2, [field(1, [field(2, Buffer.alloc(3_000_000, Buffer.from([0x0a, 0x00])))])])
    await expect(onnxHeader(await written(field(7, [field(11, [many])])))).rejects.toThrow('more than 64 sizes')
  })

  it('quotes of a long name its beginning', async () => {
    const weight = [field(1, 5), field(2, 1), field(8, 'n'.repeat(1_000_000)), field(9, Buffer.alloc(4))]
    const refused = onnxHeader(await written(onnx({ weights: [weight] })))
    await expect(refused).rejects.toThrow(/^The weights "n{900,1000}…$/)
  })

  it('skips messages of any depth', async () => {
    let deep = field(1, '')
    for (let level = 0; level < 2000; level += 1) deep = field(5, [deep])
    const path = await written(Buffer.concat([onnx(), field(25, deep)]))
    expect((await onnxHeader(path)).params).toBe(576)
  })
})

describe('a safetensors header', () => {
  it('contains the number of tensors and of their elements', async () => {
    const path = await written(safetensors({ 'a.weight': [48, 12], 'a.bias': [12], scalar: [] }))
    expect(await safetensorsHeader(path)).toEqual({ tensors: 3, params: 48 * 12 + 12 + 1, metadata: { format: 'pt' } })
  })

  it('names each tensor with its type and shape', async () => {
    const path = await written(safetensors({ 'a.weight': [48, 12], scalar: [] }))
    expect((await readInPlaces(path, readSafetensorsContent)).tensors).toEqual([
      { name: 'a.weight', type: 'F32', shape: [48, 12] },
      { name: 'scalar', type: 'F32', shape: [] },
    ])
  })

  const tensor = (shape: unknown, offsets: unknown, dtype = 'F32') =>
    safetensorsWith(JSON.stringify({ w: { dtype, shape, data_offsets: offsets } }), Buffer.alloc(16))
  const hostile: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
    'a file of three bytes': [Buffer.from('abc'), /too short/],
    'a header of 2^63 bytes': [safetensorsWith('{}', Buffer.alloc(0), 2n ** 63n), /claims 9223372036854775808 bytes/],
    'a header past the end': [safetensorsWith('{}', Buffer.alloc(0), 100n), /too short/],
    'a header that is not JSON': [safetensorsWith('{', Buffer.alloc(0)), /not JSON/],
    'a header that is a list': [safetensorsWith('[]', Buffer.alloc(0)), /not a JSON object/],
    'a header of a million values': [
      safetensorsWith(`{"w":[${'{},'.repeat(500_000)}0]}`, Buffer.alloc(0)),
      /more than 250000 values/,
    ],
    'a tensor past the end': [tensor([5], [0, 20]), /not in the file/],
    'a tensor that claims more than it holds': [tensor([1e9], [0, 16]), /not as large as its shape/],
    'a negative size': [tensor([-4], [0, 16]), /not as large/],
    'a type without a size': [tensor([4], [0, 16], 'WORD'), /not as large/],
    'a type of no bits, of which any number fits into nothing': [tensor([1e15], [0, 0], 'F0'), /not as large/],
  }
  it.each(Object.entries(hostile))('refuses %s', async (_, [bytes, reason]) => {
    const path = await written(bytes)
    await expect(safetensorsHeader(path)).rejects.toThrow(reason)
  })
})
