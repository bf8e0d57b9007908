/**
 * A public policy of Hugging Face, fetched into a folder: only the files that it is made of, at one commit, up to
 * limits of size.
 */
import { join } from 'node:path'
import { FetchFault, guardedGetter } from '@hub/client/guarded'
import { sizeText } from '@hub/text/amounts'
import type { ModelSource } from '../model-request.ts'
import { getFile } from './get-file.ts'
import { type HfFile, listHfRepo, parseHfRepo, policyOf } from './hf-listing.ts'

const HUGGING_FACE = 'https://huggingface.co'

interface FetchLimits {
  /** A larger file has no place in an artifact. */
  readonly fileBytes: number
  readonly totalBytes: number
  readonly files: number
}

export interface FetchedPolicy {
  readonly source: ModelSource
  /** For `readPolicy`. */
  readonly entry: string
}

export interface PolicyFetch {
  /** `org/name[@revision]`. */
  readonly hfRepo: string
  /** Empty; files get the paths that they have there. */
  readonly folder: string
  /** `HF_ENDPOINT`: a mirror that the operator trusts; null for Hugging Face itself. */
  readonly mirror: string | null
  readonly limits: FetchLimits
  readonly log: (line: string) => void
  readonly signal: AbortSignal
}

/**
 * Rejects with a `FetchFault` if the policy is not available, and with `signal`'s reason. Files that are too large are
 * omitted and listed in `source.skipped`.
 */
export async function fetchPolicy({
  hfRepo,
  folder,
  mirror,
  limits,
  log,
  signal,
}: PolicyFetch): Promise<FetchedPolicy> {
  const { repo, revision: requested } = parseHfRepo(hfRepo)
  const endpoint = URL.parse(`${(mirror ?? HUGGING_FACE).replace(/\/+$/, '')}/`)
  if (!endpoint) throw new FetchFault('HF_ENDPOINT is not a URL.')
  const getter = guardedGetter({
    userAgent: 'hub-check-worker',
    trustedOrigins: mirror === null ? [] : [endpoint.origin],
  })
  const { revision, license, files } = await listHfRepo({ getter, endpoint, repo, revision: requested, signal })
  const policy = policyOf(repo, files)
  const { taken, skipped } = withinLimits(policy.files, limits)
  for (const { path, sizeBytes, sha256 } of taken) {
    log(`${repo}@${revision.slice(0, 12)}: ${path}, ${sizeText(sizeBytes)}`)
    const place = path.split('/').map(encodeURIComponent).join('/')
    await getFile({
      getter,
      url: new URL(`${repo}/resolve/${revision}/${place}`, endpoint),
      file: join(folder, path),
      expected: { sizeBytes, sha256 },
      signal,
    })
  }
  return {
    entry: policy.entry,
    source: {
      hf_repo: hfRepo,
      revision,
      license,
      files: taken.map(({ path }) => path),
      bytes: sum(taken),
      skipped: skipped.map(({ path }) => path),
    },
  }
}

const sum = (files: readonly HfFile[]) => files.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0)

/** Small files first: the policy's declarations are available even if its weights are too large. */
function withinLimits(files: readonly HfFile[], limits: FetchLimits) {
  const taken: HfFile[] = []
  const skipped: HfFile[] = []
  for (const file of files.toSorted((a, b) => a.sizeBytes - b.sizeBytes)) {
    const fits = file.sizeBytes <= limits.fileBytes && sum(taken) + file.sizeBytes <= limits.totalBytes
    if (fits && taken.length < limits.files) taken.push(file)
    else skipped.push(file)
  }
  return { taken, skipped }
}
