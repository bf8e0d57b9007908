/** Which files of a repo, or of this machine, are a policy. Pure. */
import { withDoubles } from '@hub/formats/exact-json'
import { readOnnxHeader } from '@hub/formats/policy/onnx-header'
import { drivenContract, stampPaths, stampsOf } from '@hub/formats/policy/onnx-stamps'
import { MAX_DOCUMENT_BYTES, readStampDocument } from '@hub/formats/policy/stamp-document'
import { unlimited, windowedFile } from '@hub/formats/policy/windowed-file'
import { modelInputs } from '@hub/rollout/loop/pictures'
import type { DrivenPolicy } from './drive-protocol.ts'

/** A policy of more bytes is none that a page runs. */
export const MAX_POLICY_BYTES = 128 * 1024 * 1024

interface PolicyPaths {
  readonly onnx: string
  /** Of its contract or manifest. */
  readonly contract: string | null
  readonly task: string | null
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)

/** The policy at `entry`, or the only one. Throws an `Error` in words where there is none, or too much of it. */
export function policyPaths(
  files: readonly (readonly [path: string, sizeBytes: number])[],
  entry: string | null = null,
): PolicyPaths {
  const models = files.filter(([path]) => (entry === null ? /\.onnx$/i.test(path) : path === entry))
  const [first] = models
  if (!first) throw new Error(entry === null ? 'There is no ONNX file.' : `There is no ${entry}.`)
  if (models.length > 1) {
    const names = models.slice(0, 5).map(([path]) => path)
    throw new Error(`There are several policies: name one of ${names.join(', ')} after a colon.`)
  }
  const [onnx, size] = first
  if (size > MAX_POLICY_BYTES)
    throw new Error(`${onnx} has ${Math.ceil(size / 2 ** 20)} MiB; a page runs ${MAX_POLICY_BYTES / 2 ** 20} at most.`)
  const small = new Set(files.filter(([, bytes]) => bytes <= MAX_DOCUMENT_BYTES).map(([path]) => path))
  const folder = folderOf(onnx)
  const found = (...paths: readonly string[]) => paths.find((path) => small.has(path)) ?? null
  return {
    onnx,
    contract: found(...stampPaths(onnx)),
    task: found(`${folder}task.json`, 'task.json'),
  }
}

/** `read`: the bytes of files, in the order of the paths. */
export async function policyOf(
  name: string,
  paths: PolicyPaths,
  read: (paths: readonly string[]) => Promise<readonly Uint8Array<ArrayBuffer>[]>,
): Promise<DrivenPolicy> {
  const asked = [paths.onnx, ...[paths.contract, paths.task].filter((path) => path !== null)]
  const bytes = new Map((await read(asked)).map((one, at) => [asked[at], one]))
  const documentAt = (path: string | null) => {
    const text = path === null ? undefined : bytes.get(path)
    return path === null || !text ? null : { path, value: readStampDocument(path, text) }
  }
  const onnx = bytes.get(paths.onnx) ?? new Uint8Array()
  const beside = documentAt(paths.contract)
  const { metadata, inputs } = await headerOf(paths.onnx, onnx)
  const contract = drivenContract(stampsOf(beside, metadata))
  const task = withDoubles(documentAt(paths.task)?.value ?? null)
  return { name, onnx, inputs: modelInputs(inputs), contract: withDoubles(contract), task }
}

/** What an ONNX file says of itself. Throws an `Error` that names the file where it is none. */
async function headerOf(path: string, bytes: Uint8Array) {
  const fetch = (start: number, end: number) => Promise.resolve(bytes.subarray(start, end))
  try {
    return await readOnnxHeader(windowedFile({ sizeBytes: bytes.length, fetch }, unlimited))
  } catch (error) {
    throw new Error(`${path} is not an ONNX file. ${error instanceof Error ? error.message : error}`)
  }
}
