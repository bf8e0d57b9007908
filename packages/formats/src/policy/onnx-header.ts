/** The description in an ONNX file, without its weights. Field numbers are those of onnx.proto3. */
import { FormatFault } from './format-fault.ts'
import { type GraphValue, readInitializer, readPair, readValue } from './onnx-tensors.ts'
import { type Field, type WireReader, wireReader } from './protobuf-wire.ts'
import type { WindowedFile } from './windowed-file.ts'

/** What stands outside of the graph: read in a few places, whatever the graph holds. */
export interface OnnxOutline {
  readonly irVersion: number | null
  readonly producer: string | null
  /** Version by domain; the standard operators are `ai.onnx`. */
  readonly opsets: Readonly<Record<string, number>>
  /** The exporter's own notes. */
  readonly metadata: Readonly<Record<string, string>>
}

export interface OnnxGraph {
  /** What a caller feeds: weights that older exporters list as inputs are left out. */
  readonly inputs: readonly GraphValue[]
  readonly outputs: readonly GraphValue[]
  /** Elements of all initializers of the graph. Those of subgraphs and of constant nodes are not counted. */
  readonly params: number
  /** Files next to the model that hold weights, sorted. */
  readonly externalFiles: readonly string[]
}

export type OnnxHeader = OnnxOutline & OnnxGraph

/** The largest public policies have some 100,000 fields outside of their nodes; this many are read in a second. */
const MAX_FIELDS = 2_000_000
const MAX_VALUES = 1_000
/** No message of Protocol Buffers is larger; ONNX keeps more weights than that in files next to it. */
const MAX_BYTES = 2 ** 31
const MAX_METADATA_BYTES = 4 * 1024 * 1024

/** An ONNX model: its outline, and its graph on request. */
export interface OnnxModel {
  readonly outline: OnnxOutline
  /** One place for each of the larger weights, which are skipped. Throws a `FormatFault` if the graph is broken. */
  graph(): Promise<OnnxGraph>
}

/**
 * Memory and time are bounded for any file. Throws a `FormatFault` if it is not an ONNX model, and the source's error
 * if it cannot be read.
 */
export async function openOnnx(file: WindowedFile): Promise<OnnxModel> {
  if (file.sizeBytes > MAX_BYTES) throw new FormatFault('It is over 2 GiB.')
  const wire = wireReader(file, MAX_FIELDS)
  const { graph, outline } = await readOutline(wire, file.sizeBytes)
  return { outline, graph: () => readGraph(wire, graph) }
}

/** Everything of the description. Throws as `openOnnx`. */
export async function readOnnxHeader(file: WindowedFile): Promise<OnnxHeader> {
  const { outline, graph } = await openOnnx(file)
  return { ...outline, ...(await graph()) }
}

async function readOutline(
  wire: WireReader,
  sizeBytes: number,
): Promise<{ readonly outline: OnnxOutline; readonly graph: Field }> {
  let [irVersion, producer, version] = [null as number | null, '', '']
  let graph: Field | null = null
  let metadataBytes = 0
  const opsets: [string, number][] = []
  const metadata: [string, string][] = []
  for await (const field of wire.fields({ start: 0, end: sizeBytes })) {
    if (field.number === 1) irVersion = Number(field.value)
    else if (field.number === 2) producer = await wire.text(field)
    else if (field.number === 3) version = await wire.text(field)
    else if (field.number === 7) {
      if (graph) throw new FormatFault('It has two graphs.')
      graph = field
    } else if (field.number === 8) opsets.push(await readOpset(wire, field))
    else if (field.number === 14) {
      metadataBytes += field.end - field.start
      if (metadataBytes > MAX_METADATA_BYTES) throw new FormatFault(`Its metadata is over ${MAX_METADATA_BYTES} bytes.`)
      metadata.push(await readPair(wire, field))
    }
  }
  if (!graph) throw new FormatFault('It has no graph.')
  const outline = {
    irVersion,
    producer: [producer, version].filter(Boolean).join(' ') || null,
    opsets: Object.fromEntries(opsets),
    metadata: Object.fromEntries(metadata),
  }
  return { outline, graph }
}

async function readGraph(wire: WireReader, graph: Field): Promise<OnnxGraph> {
  const inputs: GraphValue[] = []
  const outputs: GraphValue[] = []
  const weights = new Set<string>()
  const externalFiles = new Set<string>()
  let params = 0
  for await (const field of wire.fields(graph)) {
    if (field.number === 5) {
      const { name, elements, external } = await readInitializer(wire, field)
      weights.add(name)
      params += elements
      if (external !== null) externalFiles.add(external)
    } else if (field.number === 11) inputs.push(await readValue(wire, field))
    else if (field.number === 12) outputs.push(await readValue(wire, field))
    if (outputs.length > MAX_VALUES || inputs.length > weights.size + MAX_VALUES)
      throw new FormatFault(`It has more than ${MAX_VALUES} inputs or outputs.`)
  }
  if (!Number.isSafeInteger(params)) throw new FormatFault('Its weights have an impossible size.')
  const fed = inputs.filter(({ name }) => !weights.has(name))
  return { inputs: fed, outputs, params, externalFiles: [...externalFiles].sort() }
}

/** An OperatorSetIdProto. */
async function readOpset(wire: WireReader, opset: Field): Promise<[domain: string, version: number]> {
  let [domain, version] = ['', 0]
  for await (const field of wire.fields(opset)) {
    if (field.number === 1) domain = await wire.text(field)
    if (field.number === 2) version = Number(field.value)
  }
  return [domain || 'ai.onnx', version]
}
