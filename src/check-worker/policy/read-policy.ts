/** A policy in a folder: its declarations, its header, and its files. Reads headers and small JSON files, no weights. */
import { readFile } from 'node:fs/promises'
import { type LocalFile, walkFolder } from '../../client/walk.ts'
import { isJsonObject, parseExact } from '../../platform/exact-json.ts'
import { baseName } from '../../platform/file-path.ts'
import { freeFormFaults } from '../../platform/free-form-faults.ts'
import { FormatFault } from './formats/format-fault.ts'
import type { OnnxHeader } from './formats/onnx-header.ts'
import { readOnnxHeader } from './formats/onnx-header.ts'
import { readSafetensorsHeader } from './formats/safetensors-header.ts'
import { metadataStamp, type Stamp, stampOf } from './stamp.ts'

export interface PolicyFile {
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
  readonly stamp: Stamp
  /** Of its weights; null if no header has it. */
  readonly params: number | null
  readonly onnx: OnnxHeader | null
  /** What a configuration beside the weights declares. */
  readonly declared: { readonly actions: number | null; readonly state: number | null }
  /** In byte order of `name`; without the manifest. */
  readonly files: readonly PolicyFile[]
}

const MAX_JSON_BYTES = 1024 * 1024

/**
 * The policy at `entry`: an ONNX file or a checkpoint directory, as the folder has it. Throws a `FormatFault` if it is not a policy or is broken, and a
 * `LocalError` if a file cannot be read.
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

export const isOnnx = (path: string) => /\.onnx$/i.test(path)

type Files = ReadonlyMap<string, LocalFile>

/** Its contract file is `contract.json` beside it; a check that stamps it writes `manifest.json`, for which there is a place in a model repo. */
async function onnxPolicy(files: Files, model: LocalFile): Promise<Policy> {
  const onnx = namedFault(model.path, () => readOnnxHeader(model.file))
  const beside = model.path.slice(0, model.path.lastIndexOf('/') + 1)
  const document =
    (await readDocument(files, `${beside}contract.json`)) ?? (await readDocument(files, `${beside}manifest.json`))
  const stamp = document ? stampOf(document.path, document.value) : metadataStamp(onnx.metadata)
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
  const onnx = model ? namedFault(model.path, () => readOnnxHeader(model.file)) : null
  return {
    path: entry,
    format: stamp.policyFormat ?? (onnx ? 'onnx' : 'checkpoint'),
    type: stamp.policyType ?? typeOf(config?.value),
    stamp,
    params: onnx?.params ?? paramsOf(weights) ?? stamp.params,
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
    params: weights ? paramsOf([weights]) : null,
    onnx: null,
    declared: declaredOf(config?.value),
    files: sorted(within.map((file) => published(file, `policy/${file.path.slice(prefix.length)}`))),
  }
}

const published = ({ file, path, size }: LocalFile, name: string): PolicyFile => ({ file, path, size, name })

const sorted = (files: readonly PolicyFile[]) =>
  files.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))

/** Parts of one model, or of several: only all of them together are the policy. */
function paramsOf(weights: readonly LocalFile[]): number | null {
  if (weights.length === 0) return null
  return weights.reduce((sum, { file, path }) => sum + namedFault(path, () => readSafetensorsHeader(file)).params, 0)
}

function namedFault<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof FormatFault) throw new FormatFault(`${path}: ${error.message}`)
    throw error
  }
}

interface JsonDocument {
  readonly path: string
  readonly value: Readonly<Record<string, unknown>>
}

async function readDocument(files: Files, path: string): Promise<JsonDocument | null> {
  const found = files.get(path)
  if (!found) return null
  if (found.size > MAX_JSON_BYTES) throw new FormatFault(`${path} is over 1 MiB.`)
  let value: unknown
  try {
    value = parseExact(new TextDecoder('utf-8', { fatal: true }).decode(await readFile(found.file)))
  } catch {
    throw new FormatFault(`${path} is not JSON.`)
  }
  if (!isJsonObject(value)) throw new FormatFault(`${path} is not a JSON object.`)
  const [fault] = freeFormFaults(value)
  if (fault) throw new FormatFault(`${path}: ${fault.loc.slice(0, 5).join('.')} ${fault.message}.`)
  return { path, value }
}

type Config = JsonDocument['value'] | undefined

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
