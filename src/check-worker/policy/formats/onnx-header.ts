/** The description in an ONNX file, without its weights. Field numbers are those of onnx.proto3. */
import { openByteFile } from './byte-file.ts'
import { FormatFault } from './format-fault.ts'
import { type GraphValue, readInitializer, readPair, readValue } from './onnx-tensors.ts'
import { type Field, type WireReader, wireReader } from './protobuf-wire.ts'

export interface OnnxHeader {
  readonly irVersion: number | null
  readonly producer: string | null
  /** Version by domain; the standard operators are `ai.onnx`. */
  readonly opsets: Readonly<Record<string, number>>
  /** What a caller feeds: weights that older exporters list as inputs are left out. */
  readonly inputs: readonly GraphValue[]
  readonly outputs: readonly GraphValue[]
  /** The exporter's own notes. */
  readonly metadata: Readonly<Record<string, string>>
  /** Elements of all initializers of the graph. Those of subgraphs and of constant nodes are not counted. */
  readonly params: number
  /** Files beside the model that hold weights, sorted. */
  readonly externalFiles: readonly string[]
}

/** The largest public policies have some 100,000 fields outside of their nodes; this many are read in a second. */
const MAX_FIELDS = 2_000_000
const MAX_VALUES = 1_000
/** No message of Protocol Buffers is larger; ONNX keeps more weights than that in files beside it. */
const MAX_BYTES = 2 ** 31
const MAX_METADATA_BYTES = 4 * 1024 * 1024

/** Memory and time are bounded for any file. Throws a `FormatFault` if it is not an ONNX model, and the system's error if it cannot be read. */
export function readOnnxHeader(path: string): OnnxHeader {
  const file = openByteFile(path)
  try {
    if (file.sizeBytes > MAX_BYTES) throw new FormatFault('It is over 2 GiB.')
    return readModel(wireReader(file, MAX_FIELDS), file.sizeBytes)
  } finally {
    file.close()
  }
}

function readModel(wire: WireReader, sizeBytes: number): OnnxHeader {
  let [irVersion, producer, version] = [null as number | null, '', '']
  let graph: Graph | null = null
  let metadataBytes = 0
  const opsets: [string, number][] = []
  const metadata: [string, string][] = []
  for (const field of wire.fields({ start: 0, end: sizeBytes })) {
    if (field.number === 1) irVersion = Number(field.value)
    else if (field.number === 2) producer = wire.text(field)
    else if (field.number === 3) version = wire.text(field)
    else if (field.number === 7) {
      if (graph) throw new FormatFault('It has two graphs.')
      graph = readGraph(wire, field)
    } else if (field.number === 8) opsets.push(readOpset(wire, field))
    else if (field.number === 14) {
      metadataBytes += field.end - field.start
      if (metadataBytes > MAX_METADATA_BYTES) throw new FormatFault(`Its metadata is over ${MAX_METADATA_BYTES} bytes.`)
      metadata.push(readPair(wire, field))
    }
  }
  if (!graph) throw new FormatFault('It has no graph.')
  return {
    irVersion,
    producer: [producer, version].filter(Boolean).join(' ') || null,
    opsets: Object.fromEntries(opsets),
    metadata: Object.fromEntries(metadata),
    ...graph,
  }
}

type Graph = Pick<OnnxHeader, 'inputs' | 'outputs' | 'params' | 'externalFiles'>

function readGraph(wire: WireReader, graph: Field): Graph {
  const inputs: GraphValue[] = []
  const outputs: GraphValue[] = []
  const weights = new Set<string>()
  const externalFiles = new Set<string>()
  let params = 0
  for (const field of wire.fields(graph)) {
    if (field.number === 5) {
      const { name, elements, external } = readInitializer(wire, field)
      weights.add(name)
      params += elements
      if (external !== null) externalFiles.add(external)
    } else if (field.number === 11) inputs.push(readValue(wire, field))
    else if (field.number === 12) outputs.push(readValue(wire, field))
    if (outputs.length > MAX_VALUES || inputs.length > weights.size + MAX_VALUES)
      throw new FormatFault(`It has more than ${MAX_VALUES} inputs or outputs.`)
  }
  if (!Number.isSafeInteger(params)) throw new FormatFault('Its weights have an impossible size.')
  const fed = inputs.filter(({ name }) => !weights.has(name))
  return { inputs: fed, outputs, params, externalFiles: [...externalFiles].sort() }
}

/** An OperatorSetIdProto. */
function readOpset(wire: WireReader, opset: Field): [domain: string, version: number] {
  let [domain, version] = ['', 0]
  for (const field of wire.fields(opset)) {
    if (field.number === 1) domain = wire.text(field)
    if (field.number === 2) version = Number(field.value)
  }
  return [domain || 'ai.onnx', version]
}
