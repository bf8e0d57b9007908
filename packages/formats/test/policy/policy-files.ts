/** Small ONNX and safetensors files, written byte by byte in their formats. */

export function varint(value: number | bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  do {
    const low = Number(rest & 0x7fn)
    rest >>= 7n
    bytes.push(rest > 0n ? low | 0x80 : low)
  } while (rest > 0n)
  return Buffer.from(bytes)
}

/** A field of a message: a number, a text, bytes, or the fields of a message within. */
export function field(number: number, value: number | string | Buffer | readonly Buffer[]): Buffer {
  if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)])
  const bytes =
    typeof value === 'string' ? Buffer.from(value) : Array.isArray(value) ? Buffer.concat(value) : (value as Buffer)
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
}

type Shape = readonly (number | string)[]

function value(name: string, shape: Shape, type = 1): Buffer[] {
  const sizes = shape.map((size) => field(1, [field(typeof size === 'number' ? 1 : 2, size)]))
  return [field(1, name), field(2, [field(1, [field(1, type), field(2, sizes)])])]
}

const float32 = (name: string, shape: readonly number[]): Buffer[] => [
  field(1, Buffer.concat(shape.map((size) => varint(size)))),
  field(2, 1),
  field(8, name),
  field(9, Buffer.alloc(4 * shape.reduce((product, size) => product * size, 1))),
]

/** 1,000 numbers in a file next to the model. */
export const externalWeight = (file: string): Buffer[] => [
  field(1, 1000),
  field(2, 1),
  field(8, 'w'),
  field(13, [field(1, 'location'), field(2, file)]),
  field(14, 1),
]

interface OnnxParts {
  readonly inputs?: Readonly<Record<string, Shape>>
  readonly outputs?: Readonly<Record<string, Shape>>
  readonly weights?: readonly (readonly Buffer[])[]
  readonly metadata?: Readonly<Record<string, string>>
  /** One node each. */
  readonly nodes?: readonly (readonly Buffer[])[]
}

/** Two layers without meaning: 12 joints from 48 numbers, unless the parts differ. */
export function onnx(parts: OnnxParts = {}): Buffer {
  const {
    inputs = { obs: ['batch', 48] },
    outputs = { actions: ['batch', 12] },
    weights = [float32('w', [48, 12])],
    nodes = [[field(1, 'obs'), field(1, 'w'), field(2, 'actions'), field(4, 'MatMul')]],
  } = parts
  const graph = [
    ...nodes.map((node) => field(1, node)),
    field(2, 'policy'),
    ...weights.map((weight) => field(5, weight)),
    ...Object.entries(inputs).map(([name, shape]) => field(11, value(name, shape))),
    ...Object.entries(outputs).map(([name, shape]) => field(12, value(name, shape))),
  ]
  const pairs = Object.entries(parts.metadata ?? {}).map(([key, text]) => field(14, [field(1, key), field(2, text)]))
  return Buffer.concat([
    field(1, 9),
    field(2, 'pytorch'),
    field(3, '2.5.0'),
    field(7, graph),
    field(8, [field(1, ''), field(2, 17)]),
    ...pairs,
  ])
}

/** One tensor of float32 after another, by name and shape. */
export function safetensors(tensors: Readonly<Record<string, readonly number[]>>): Buffer {
  let at = 0
  const header = Object.fromEntries(
    Object.entries(tensors).map(([name, shape]) => {
      const begin = at
      at += 4 * shape.reduce((product, size) => product * size, 1)
      return [name, { dtype: 'F32', shape, data_offsets: [begin, at] }]
    }),
  )
  return safetensorsWith(JSON.stringify({ __metadata__: { format: 'pt' }, ...header }), Buffer.alloc(at))
}

export function safetensorsWith(
  header: string,
  weights: Buffer,
  claimedBytes = BigInt(Buffer.byteLength(header)),
): Buffer {
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(claimedBytes)
  return Buffer.concat([length, Buffer.from(header), weights])
}
