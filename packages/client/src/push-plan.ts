/** Compares local files with the repo's tree. */
import pMap from 'p-map'
import { localDigest, type ReadBytes, sha256Of } from './hash.ts'
import type { HubClient } from './hub-client.ts'
import type { Progress } from './progress.ts'
import type { RepoName } from './repo-name.ts'
import { isBinary } from './secrets/find-secrets.ts'
import type { RemoteFile } from './shapes.ts'
import type { SmallFiles } from './small-files.ts'
import type { TransferState } from './state.ts'
import { isSmall } from './upload-parts.ts'
import type { LocalFile } from './walk.ts'

export interface Outgoing extends LocalFile {
  readonly sha256: string
}

export interface PushPlan {
  readonly send: Outgoing[]
  /** Already in the repo with the same content. */
  readonly same: Outgoing[]
  /** In the repo but not in the folder, in tree order. */
  readonly onlyRemote: string[]
  /** Paths of files that are not text, as far as they were read now. */
  readonly binary: ReadonlySet<string>
}

/** The whole tree by path. */
export async function readTree(client: HubClient, repo: RepoName): Promise<Map<string, RemoteFile>> {
  const found = new Map<string, RemoteFile>()
  for await (const page of client.tree(repo)) for (const entry of page) found.set(entry.path, entry)
  return found
}

interface Planning {
  readonly state: TransferState
  /** Gets what is read of small files that differ. */
  readonly small: SmallFiles
  readonly jobs: number
  readonly progress: Progress
  readonly signal: AbortSignal
}

/** Hashes (`jobs` files at a time) and compares. A remote file with an unknown digest counts as different. */
export async function planPush(
  local: readonly LocalFile[],
  remote: ReadonlyMap<string, RemoteFile>,
  { state, small, ...options }: Planning,
): Promise<PushPlan> {
  const digests = new Map<string, string>()
  const binary = new Set<string>()
  options.progress.begin(
    'hash',
    local.length,
    local.reduce((sum, file) => sum + file.size, 0),
  )
  const hash = async (file: LocalFile) => {
    let how: 'known' | undefined = 'known'
    const read: ReadBytes = (count, was) => {
      how = was
      options.progress.bytes(count, was)
    }
    const head = (bytes: Buffer) => {
      if (isBinary(bytes)) binary.add(file.path)
    }
    const compute = () => {
      if (!isSmall(file)) return sha256Of(file.file, options.signal, read, file.size, head)
      options.signal.throwIfAborted()
      const see = (bytes: Buffer) => {
        head(bytes)
        read(bytes.length)
      }
      return small.digest(file, see, (sha256) => !isSame({ ...file, sha256 }))
    }
    digests.set(file.path, await localDigest(file, state, read, compute))
    options.progress.file(file.path, how)
  }
  const isSame = ({ path, size, sha256 }: Outgoing) => {
    const entry = remote.get(path)
    return entry !== undefined && entry.size === size && state.digestOf(entry) === sha256
  }
  await pMap(local, hash, { concurrency: options.jobs })
  options.progress.end()
  const plan: PushPlan = { send: [], same: [], onlyRemote: [], binary }
  const localPaths = new Set(local.map((file) => file.path))
  for (const file of local) {
    const outgoing = { ...file, sha256: digests.get(file.path) ?? '' }
    ;(isSame(outgoing) ? plan.same : plan.send).push(outgoing)
  }
  for (const path of remote.keys()) if (!localPaths.has(path)) plan.onlyRemote.push(path)
  return plan
}
