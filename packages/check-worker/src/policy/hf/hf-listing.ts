/** A model repo of Hugging Face as its API lists it at one commit, and which of its files are the policy. */

import { FetchFault, type Getter, getJson } from '@hub/client/guarded'
import { HF_REPO } from '@hub/formats/text-rules'
import { pathFault } from '@hub/text/file-path'
import { z } from 'zod'

export interface HfFile {
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string | null
}

export interface HfListing {
  /** The commit, 40 hex digits. */
  readonly revision: string
  readonly license: string | null
  readonly files: readonly HfFile[]
}

const MAX_LISTING_BYTES = 8 * 1024 * 1024

/** The used part of the response. */
const modelInfo = z.object({
  sha: z.string().regex(/^[a-f0-9]{40}$/),
  cardData: z
    .object({ license: z.union([z.string(), z.array(z.string())]).nullish(), license_name: z.string().nullish() })
    .nullish(),
  tags: z.array(z.string()).nullish(),
  siblings: z.array(
    z.object({
      rfilename: z.string(),
      size: z.int().min(0).nullish(),
      lfs: z
        .object({
          sha256: z
            .string()
            .regex(/^[a-f0-9]{64}$/)
            .nullish(),
        })
        .nullish(),
    }),
  ),
})

/** `org/name`, and a branch, tag or commit. Throws a `FetchFault` for any other form. */
export function parseHfRepo(text: string): { readonly repo: string; readonly revision: string | null } {
  const [, repo, revision] = HF_REPO.exec(text) ?? []
  if (!repo)
    throw new FetchFault(`${JSON.stringify(text.slice(0, 200))} is not of the form org/name or org/name@revision.`)
  return { repo, revision: revision ?? null }
}

/** Files without a size, and names that are not valid repo paths, are omitted. Rejects with a `FetchFault`. */
export async function listHfRepo({
  getter,
  endpoint,
  repo,
  revision,
  signal,
}: {
  readonly getter: Getter
  readonly endpoint: URL
  readonly repo: string
  readonly revision: string | null
  readonly signal: AbortSignal
}): Promise<HfListing> {
  const path = revision === null ? `api/models/${repo}` : `api/models/${repo}/revision/${encodeURIComponent(revision)}`
  const url = new URL(`${path}?blobs=true`, endpoint)
  const read = modelInfo.safeParse(await getJson(getter, url, MAX_LISTING_BYTES, signal))
  if (!read.success) throw new FetchFault(`The listing of ${repo} is not that of a model repo.`)
  const { sha, cardData, tags, siblings } = read.data
  const license = cardData?.license_name ?? [cardData?.license ?? []].flat().join(', ')
  const tagged = tags?.find((tag) => tag.startsWith('license:'))?.slice('license:'.length)
  const files = siblings.flatMap(({ rfilename, size, lfs }) =>
    size == null || pathFault(rfilename) !== null
      ? []
      : [{ path: rfilename, sizeBytes: size, sha256: lfs?.sha256 ?? null }],
  )
  assertNoClash(
    repo,
    files.map(({ path }) => path),
  )
  return { revision: sha, license: (license || tagged || '').slice(0, 256) || null, files }
}

/** Paths are at most 1024 bytes long. */
const parents = (path: string) =>
  path
    .split('/')
    .map((_, at, names) => names.slice(0, at).join('/'))
    .slice(1)

/** One path for two files, or for a file and a folder, would fail on this machine's disk. */
function assertNoClash(repo: string, paths: readonly string[]): void {
  const files = new Set<string>()
  for (const path of paths) {
    if (files.has(path)) throw new FetchFault(`${repo} lists ${JSON.stringify(path.slice(0, 200))} twice.`)
    files.add(path)
  }
  for (const path of paths) {
    const folder = parents(path).find((parent) => files.has(parent))
    if (folder !== undefined)
      throw new FetchFault(`${repo} lists ${JSON.stringify(folder.slice(0, 200))} as a file and a folder.`)
  }
}

export interface HfPolicy {
  /** For `readPolicy`: an ONNX file, or the empty text for the repo itself. */
  readonly entry: string
  readonly files: readonly HfFile[]
}

/** Throws a `FetchFault` if the repo has no policy, or several ONNX files without a way to choose. */
export function policyOf(repo: string, files: readonly HfFile[]): HfPolicy {
  const has = (path: string) => files.some((file) => file.path === path)
  const only = (entry: string, isMeant: (path: string) => boolean) => ({
    entry,
    files: files.filter(({ path }) => isMeant(path)),
  })
  if (has('manifest.json') && files.some(({ path }) => path.startsWith('policy/')))
    return only('', (path) => path === 'manifest.json' || path.startsWith('policy/'))
  if (has('config.json') && has('model.safetensors'))
    return only('', (path) => /^(config\.json|model\.safetensors|policy_[^/]*\.(json|safetensors))$/.test(path))
  const models = files.filter(({ path }) => /^[^/]*\.onnx$/i.test(path))
  const [model] = models
  if (!model)
    throw new FetchFault(
      `${repo} has no policy at its root: an ONNX file, config.json with model.safetensors, or manifest.json with policy/.`,
    )
  if (models.length > 1)
    throw new FetchFault(
      `${repo} has several ONNX files: ${models
        .slice(0, 10)
        .map(({ path }) => path)
        .join(', ')}.`,
    )
  const stem = model.path.slice(0, -'.onnx'.length)
  const isData = (path: string) => path.startsWith(stem) && !path.includes('/') && /data$/.test(path)
  return only(model.path, (path) => [model.path, 'contract.json', 'manifest.json'].includes(path) || isData(path))
}
