/**
 * A policy in a folder: its declarations, its header, and its files. Reads headers and small JSON files, no weights.
 */
import { readFile } from 'node:fs/promises'
import { type LocalFile, walkFolder } from '@hub/client/walk'
import { isJsonObject } from '@hub/formats/exact-json'
import { FormatFault } from '@hub/formats/policy/format-fault'
import { readInPlaces } from '@hub/formats/policy/local-bytes'
import { type OnnxHeader, readOnnxHeader } from '@hub/formats/policy/onnx-header'
import { type StampDocument, stampPaths, stampsOf } from '@hub/formats/policy/onnx-stamps'
import { readSafetensorsHeader } from '@hub/formats/policy/safetensors-header'
import { type Stamp, stampOf } from '@hub/formats/policy/stamp'
import { MAX_DOCUMENT_BYTES, readStampDocument } from '@hub/formats/policy/stamp-document'
import type { WindowedFile } from '@hub/formats/policy/windowed-file'
import { baseName } from '@hub/text/file-path'

interface PolicyFile {
  readonly file: string
  readonly path: string
  readonly size: number
  /** Its path in the model repo that the policy is published to. */
  readonly name: string
}

export interface Policy {
  readonly path: string
  readonly format: string
  readonly type: string | null
  /** Of the first that declares it. */
  readonly stamp: Stamp
  /** All that declare it, that one first. */
  readonly stamps: readonly Stamp[]
  /** Of its weights; null if no header has it. */
  readonly params: number | null
  readonly onnx: OnnxHeader | null
  /** What a configuration next to the weights declares. */
  readonly declared: { readonly actions: number | null; readonly state: number | null }
  /** In byte order of `name`; without the manifest. */
  readonly files: readonly PolicyFile[]
}

/**
 * The policy at `entry`: an ONNX file or a checkpoint directory, as the folder has it. Throws a `FormatFault` if it is
 * not a policy or is broken, and a `LocalError` if a file cannot be read.
 */
export async function readPolicy(folder: string, entry: string): Promise<Policy> {
  const files = new Map((await walkFolder(folder)).map((file) => [file.path, file]))
  const model = files.get(entry)
  if (model && isOnnx(entry)) return onnxPolicy(files, model)
  const prefix = entry === '' ? '' : `${entry}/`
  const has = (name: string) => files.has(prefix + name)
  const within = [...files.values()].filter(({ path }) => path.startsWith(`${prefix}policy/`))
  if (has('manifest.json') && within.length > 0) return checkpointPolicy(files, entry, prefix, within)
  if (has('config.json') && has('model.safetensors')) return weightsPolicy(files, entry, prefix)
  const place = entry === '' ? 'The repo' : JSON.stringify(entry)
  throw new FormatFault(
    `${place} is neither an ONNX file nor a directory with manifest.json and policy/, or with config.json and model.safetensors.`,
  )
}

const isOnnx = (path: string) => /\.onnx$/i.test(path)

type Files = ReadonlyMap<string, LocalFile>

/**
 * Its contract file is `contract.json` next to it; a check that stamps it writes `manifest.json`, for which there is a
 * place in a model repo.
 */
async function onnxPolicy(files: Files, model: LocalFile): Promise<Policy> {
  const onnx = await headerOf(model, readOnnxHeader)
  const [contractPath, manifestPath] = stampPaths(model.path)
  const document = (await readDocument(files, contractPath)) ?? (await readDocument(files, manifestPath))
  const stamps = stampsOf(document, onnx.metadata)
  const stamp = stamps[0] ?? stampOf(null, {})
  const beside = model.path.slice(0, model.path.lastIndexOf('/') + 1)
  // Weights outside are found relative to the model, so both go where a repo has room for them.
  const outside = onnx.externalFiles.map((name) => {
    const file = files.get(beside + name)
    if (!file) throw new FormatFault(`${model.path} keeps weights in ${JSON.stringify(name)}, which is not there.`)
    return published(file, `policy/${name}`)
  })
  const name = baseName(model.path)
  return {
    path: model.path,
    format: stamp.policyFormat ?? 'onnx',
    type: stamp.policyType,
    stamp,
    stamps,
    params: onnx.params,
    onnx,
    declared: { actions: null, state: null },
    files: sorted([published(model, outside.length > 0 ? `policy/${name}` : name), ...outside]),
  }
}

async function checkpointPolicy(
  files: Files,
  entry: string,
  prefix: string,
  within: readonly LocalFile[],
): Promise<Policy> {
  const document = await readDocument(files, `${prefix}manifest.json`)
  const stamp = stampOf(`${prefix}manifest.json`, document?.value ?? {})
  const weights = within.filter(({ path }) => path.endsWith('.safetensors'))
  const model = within.find(({ path }) => isOnnx(path))
  const config = await readDocument(files, `${prefix}policy/config.json`)
  const onnx = model ? await headerOf(model, readOnnxHeader) : null
  return {
    path: entry,
    format: stamp.policyFormat ?? (onnx ? 'onnx' : 'checkpoint'),
    type: stamp.policyType ?? typeOf(config?.value),
    stamp,
    stamps: [stamp],
    params: onnx?.params ?? (await paramsOf(weights)) ?? stamp.params,
    onnx,
    declared: declaredOf(config?.value),
    files: sorted(within.map((file) => published(file, file.path.slice(prefix.length)))),
  }
}

/** A directory as trainers write it: published, it gets a manifest and becomes a checkpoint. */
async function weightsPolicy(files: Files, entry: string, prefix: string): Promise<Policy> {
  const config = await readDocument(files, `${prefix}config.json`)
  const weights = files.get(`${prefix}model.safetensors`)
  const within = [...files.values()].filter(({ path }) => path.startsWith(prefix))
  return {
    path: entry,
    format: 'safetensors',
    type: typeOf(config?.value),
    stamp: stampOf(null, {}),
    stamps: [],
    params: weights ? await paramsOf([weights]) : null,
    onnx: null,
    declared: declaredOf(config?.value),
    files: sorted(within.map((file) => published(file, `policy/${file.path.slice(prefix.length)}`))),
  }
}

const published = ({ file, path, size }: LocalFile, name: string): PolicyFile => ({ file, path, size, name })

const sorted = (files: readonly PolicyFile[]) =>
  files.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))

/** Parts of one model, or of several: only all of them together are the policy. */
async function paramsOf(weights: readonly LocalFile[]): Promise<number | null> {
  if (weights.length === 0) return null
  let sum = 0
  for (const file of weights) sum += (await headerOf(file, readSafetensorsHeader)).params
  return sum
}

/** Its faults name the file. */
async function headerOf<T>({ file, path }: LocalFile, read: (file: WindowedFile) => Promise<T>): Promise<T> {
  try {
    return await readInPlaces(file, read)
  } catch (error) {
    if (error instanceof FormatFault) throw new FormatFault(`${path}: ${error.message}`)
    throw error
  }
}

async function readDocument(files: Files, path: string): Promise<StampDocument | null> {
  const found = files.get(path)
  if (!found) return null
  if (found.size > MAX_DOCUMENT_BYTES) throw new FormatFault(`${path} is over 1 MiB.`)
  return { path, value: readStampDocument(path, await readFile(found.file)) }
}

type Config = StampDocument['value'] | undefined

function typeOf(config: Config): string | null {
  const type = config?.type ?? config?.model_type
  return typeof type === 'string' && type !== '' ? type.slice(0, 256) : null
}

/** LeRobot's configurations declare the widths of actions and joint state. */
function declaredOf(config: Config): Policy['declared'] {
  const width = (features: unknown, name: string) => {
    const feature = isJsonObject(features) ? features[name] : null
    const shape = isJsonObject(feature) && Array.isArray(feature.shape) ? (feature.shape as unknown[]) : []
    const last = shape.at(-1)
    return typeof last === 'number' && Number.isSafeInteger(last) ? last : null
  }
  return {
    actions: width(config?.output_features, 'action'),
    state: width(config?.input_features, 'observation.state'),
  }
}
