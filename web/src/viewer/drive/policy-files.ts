/** Which files of a repo, or of this machine, are a policy. Pure. */
import type { DrivenPolicy } from './drive-protocol.ts'

/** A policy of more bytes is none that a page runs. */
export const MAX_POLICY_BYTES = 128 * 1024 * 1024
/** Of a contract or a task. */
const MAX_DOCUMENT_BYTES = 1024 * 1024

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
    contract: found(`${folder}contract.json`, `${folder}manifest.json`, 'manifest.json'),
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
  const documentAt = (path: string | null): unknown => {
    const text = path === null ? undefined : bytes.get(path)
    if (!text) return null
    try {
      return JSON.parse(new TextDecoder().decode(text))
    } catch {
      throw new Error(`${path} is no JSON.`)
    }
  }
  const manifest = documentAt(paths.contract)
  return {
    name,
    onnx: bytes.get(paths.onnx) ?? new Uint8Array(),
    contract: (manifest as { readonly contract?: unknown } | null)?.contract ?? null,
    task: documentAt(paths.task),
  }
}
