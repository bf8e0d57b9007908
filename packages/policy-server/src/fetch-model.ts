/**
 * The pinned bytes of an endpoint, on this machine: downloaded through the hub, and never loaded unless their digest is
 * the endpoint's.
 */
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchVerified } from '@hub/client/fetch-verified'
import { sha256Of } from '@hub/client/hash'
import { type HubClient, LocalError, type RemoteFile, type RepoName, silent } from '@hub/client/internal'
import { assertSafeListing, landingOf } from '@hub/client/landing'
import { checkpointDigest } from '@hub/formats/policy/checkpoint-digest'
import { nullIfMissing } from '@hub/runner/worker/growing-file'
import pLimit from 'p-limit'
import type { ServedEndpoint } from './served-endpoint.ts'

/** At a time. */
const DOWNLOADS = 4

/**
 * The path of the ONNX file to serve, in a folder of its digest under `workDir`. Rejects with a `LocalError` if the
 * repo no longer has the pinned bytes, or if this server cannot serve such a policy.
 */
export async function fetchModel(client: HubClient, endpoint: ServedEndpoint, workDir: string): Promise<string> {
  const { artifact, model_repo: repo, model_sha256: digest } = endpoint
  const [owner = '', slug = ''] = repo.full_name.split('/')
  const files =
    artifact.kind === 'onnx'
      ? await onnxFile(client, { owner, slug }, endpoint)
      : await checkpointFiles(client, { owner, slug }, endpoint)
  const models = files.filter(({ name }) => /\.onnx$/i.test(name))
  const [model] = models
  if (!model || models.length > 1)
    throw new LocalError(
      `${repo.full_name} has a checkpoint with ${models.length} ONNX files in policy/, and this server runs exactly one; serve it with its own server.`,
    )
  const folder = join(workDir, 'models', digest)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const root = await realpath(folder)
  const slot = pLimit(DOWNLOADS)
  await Promise.all(files.map((file) => slot(() => fetchFile(client, { owner, slug }, root, file))))
  return join(root, model.name)
}

interface PinnedFile {
  readonly path: string
  /** In the folder. */
  readonly name: string
  readonly size: number
  readonly sha256: string
}

async function onnxFile(client: HubClient, repo: RepoName, endpoint: ServedEndpoint): Promise<readonly PinnedFile[]> {
  const { path } = endpoint.artifact
  const found = (await filesUnder(client, repo, path)).find((file) => file.path === path)
  if (found?.sha256 !== endpoint.model_sha256) throw changed(endpoint)
  return [{ path, name: 'model.onnx', size: found.size, sha256: endpoint.model_sha256 }]
}

async function checkpointFiles(
  client: HubClient,
  repo: RepoName,
  endpoint: ServedEndpoint,
): Promise<readonly PinnedFile[]> {
  const { path } = endpoint.artifact
  const prefix = path === '' ? '' : `${path}/`
  const parts = await Promise.all(
    [`${prefix}manifest.json`, `${prefix}policy/`].map((one) => filesUnder(client, repo, one)),
  )
  const files = parts.flat().flatMap((file) => {
    const name = file.path.slice(prefix.length)
    const isOf = name === 'manifest.json' || name.startsWith('policy/')
    return isOf && file.sha256 !== null ? [{ path: file.path, name, size: file.size, sha256: file.sha256 }] : []
  })
  const digest = checkpointDigest(files.map(({ name, sha256 }) => ({ path: name, sha256 })))
  if (digest !== endpoint.model_sha256) throw changed(endpoint)
  return files
}

const changed = ({ id, model_repo: repo, artifact, model_sha256: digest }: ServedEndpoint) =>
  new LocalError(
    `${id} is pinned to ${digest}, and ${artifact.path || 'the root'} of ${repo.full_name} has other bytes now; create the endpoint again.`,
  )

async function filesUnder(client: HubClient, repo: RepoName, prefix: string): Promise<RemoteFile[]> {
  const all: RemoteFile[] = []
  for await (const page of client.tree(repo, prefix)) all.push(...page)
  return all
}

/** A file that an earlier process fetched is hashed again: a damaged disk must not move a robot. */
async function fetchFile(client: HubClient, repo: RepoName, root: string, file: PinnedFile): Promise<void> {
  const { path, name, size, sha256 } = file
  assertSafeListing([{ path: name }])
  const landing = await landingOf(root, name, sha256)
  if ((await sha256Of(landing.target, client.signal).catch(nullIfMissing)) === sha256) return
  const url = async () => {
    const [target] = await client.presignDownload(repo, [path])
    if (!target) throw new Error(`The hub returned no download URL for ${path}.`)
    return target.url
  }
  const slot = <T>(work: () => Promise<T>) => work()
  const { signal, retry } = client
  await fetchVerified({ url, size, landing, sha256, progress: silent, signal, retry, slot })
}
