/** Where a pull has its files from: one state of a repo, and the signed URLs of its files. */
import { batchesOf } from './batches.ts'
import type { HubClient } from './hub-client.ts'
import type { Incoming } from './pull-plan.ts'
import type { RepoName } from './repo-name.ts'
import type { DownloadTarget, RemoteFile } from './shapes.ts'
import { goodUntilMs, lastsFor } from './signed-life.ts'
import { BATCH } from './upload-parts.ts'

/** A URL this close to expiry is not used. */
const EXPIRY_MARGIN_MS = 30_000

/** Which files to pull, and from where: one state of a repo. */
export interface PullSource {
  /** Pages of its files. */
  files(): AsyncIterable<readonly RemoteFile[]>
  /** Download URLs of at most 100 of these paths. */
  targets(paths: readonly string[]): Promise<readonly DownloadTarget[]>
}

/** The repo as it is now. */
export function currentFiles(client: HubClient, repo: RepoName): PullSource {
  return { files: () => client.tree(repo), targets: (paths) => client.presignDownload(repo, paths) }
}

/** The repo as it was in a state: a change number, an RFC 3339 time, a run id or the name of a snapshot. */
export function filesAt(client: HubClient, repo: RepoName, at: string): PullSource {
  return {
    files: () => client.tree(repo, undefined, { at }),
    targets: (paths) => client.presignDownload(repo, paths, { at }),
  }
}

/** The URL of a path of the batch; `fresh` asks for a new one. */
export type Urls = (path: string, fresh: boolean) => Promise<string>

/** Batches of what is wanted with their URLs; those of the next one are asked for while this one is fetched. */
export async function* signedBatches(source: PullSource, wanted: readonly Incoming[]) {
  const batches = batchesOf(wanted, BATCH)
  const sign = () => {
    const { value: batch, done } = batches.next()
    if (done) return null
    const urls = urlsOf(source, batch)
    // It is awaited when its turn comes, which an earlier failure keeps from coming.
    urls.catch(() => undefined)
    return { batch, urls }
  }
  for (let next = sign(); next; ) {
    const { batch, urls } = next
    const signed = await urls
    next = sign()
    yield { batch, urls: signed }
  }
}

/** Signed URLs of a batch from one request; an expired one is requested again alone. */
async function urlsOf(source: PullSource, batch: readonly Incoming[]): Promise<Urls> {
  const first = await source.targets(batch.map(({ entry }) => entry.path))
  const signed = ({ url, expires_at }: (typeof first)[number]) => ({ url, untilMs: goodUntilMs(expires_at) })
  const targets = new Map(first.map((one) => [one.path, signed(one)]))
  return async (path, fresh) => {
    let target = targets.get(path)
    if (fresh || target === undefined || !lastsFor(target.untilMs, EXPIRY_MARGIN_MS)) {
      const found = (await source.targets([path])).find((one) => one.path === path)
      if (found === undefined) throw new Error(`The hub returned no download URL for ${path}.`)
      target = signed(found)
      targets.set(path, target)
    }
    return target.url
  }
}
