/** Pulls a repo into a folder. */
import { lstat, mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import pMap from 'p-map'
import { batchesOf } from './batches.ts'
import { fetchVerified } from './fetch-verified.ts'
import { everything, type PathFilter, pathTest } from './globs.ts'
import { digestAt } from './hash.ts'
import { BATCH, type HubClient, type RepoName } from './hub-client.ts'
import { assertSafeListing, caseCollisions, landingOf } from './landing.ts'
import { failureLine } from './problem.ts'
import { type Progress, silent } from './progress.ts'
import { DEFAULT_JOBS, type FailedFile } from './push.ts'
import type { RemoteFile } from './shapes.ts'
import { openState, type TransferState, versionOf } from './state.ts'

export interface PullOptions {
  readonly cacheDir: string
  readonly filter?: PathFilter
  /** Maximum concurrent files, or ranges of large files. */
  readonly jobs?: number
  readonly progress?: Progress
}

export interface PullReport {
  readonly repo: string
  readonly fetched: string[]
  readonly fetchedBytes: number
  readonly skipped: number
  readonly skippedBytes: number
  /** Checked by size only, because the hub has not hashed them yet. */
  readonly unverified: string[]
  readonly failed: FailedFile[]
  readonly cause: unknown
}

/** A URL this close to expiry is not used. */
const EXPIRY_MARGIN_MS = 30_000

/**
 * Downloads the repo's files into `dir`: each goes to a partial file, its SHA-256 is checked, then it replaces the target by rename. Files that
 * are equal, or not in the repo, are left alone. Nothing is written outside `dir`, whatever the listing contains.
 * Rejects with `LocalError`, `ProblemError`, `TransferError` or the client's abort reason; failures of single files are in the report.
 */
export async function pullRepo(
  client: HubClient,
  repo: RepoName,
  dir: string,
  options: PullOptions,
): Promise<PullReport> {
  const progress = options.progress ?? silent
  const jobs = options.jobs ?? DEFAULT_JOBS
  const matches = pathTest(options.filter ?? everything)
  const entries: RemoteFile[] = []
  for await (const page of client.tree(repo)) for (const entry of page) if (matches(entry.path)) entries.push(entry)
  assertSafeListing(entries)
  for (const group of caseCollisions(entries)) {
    progress.note(
      `warning: ${group.join(', ')} differ only in letter case; a case-insensitive file system keeps only one of them`,
    )
  }
  await mkdir(dir, { recursive: true })
  const root = await realpath(dir)
  const state = openState(options.cacheDir, client.url, repo)
  try {
    const wanted = await findMissing(root, entries, state, { jobs, progress, signal: client.signal })
    const outcome = await fetchAll({ client, repo, root, state, progress, jobs }, wanted)
    const skipped = entries.length - wanted.length
    const bytes = (list: readonly RemoteFile[]) => list.reduce((sum, entry) => sum + entry.size, 0)
    return { repo: `${repo.owner}/${repo.slug}`, skipped, skippedBytes: bytes(entries) - bytes(wanted), ...outcome }
  } finally {
    progress.end()
    state.close()
  }
}

/** Entries that the folder lacks or has with other content. A symbolic link counts as missing: it is replaced, never written through. */
async function findMissing(
  root: string,
  entries: readonly RemoteFile[],
  state: TransferState,
  options: { readonly jobs: number; readonly progress: Progress; readonly signal: AbortSignal },
): Promise<RemoteFile[]> {
  const missing = new Set(entries)
  const check = async (entry: RemoteFile) => {
    options.signal.throwIfAborted()
    const file = join(root, ...entry.path.split('/'))
    const old = await lstat(file).catch(() => null)
    const digest = state.digestOf(entry)
    if (!old?.isFile() || old.size !== entry.size || digest === null) return
    if ((await digestAt(file, state, options.signal)) === digest) missing.delete(entry)
  }
  await pMap(entries, check, { concurrency: options.jobs })
  return [...missing]
}

interface Pulling {
  readonly client: HubClient
  readonly repo: RepoName
  readonly root: string
  readonly state: TransferState
  readonly progress: Progress
  readonly jobs: number
}

async function fetchAll(pulling: Pulling, wanted: readonly RemoteFile[]) {
  const { client, progress } = pulling
  const fetched: string[] = []
  const unverified: string[] = []
  const failed: FailedFile[] = []
  let fetchedBytes = 0
  let cause: unknown = null
  progress.begin(
    'fetch',
    wanted.length,
    wanted.reduce((sum, entry) => sum + entry.size, 0),
  )
  const slot = pLimit(pulling.jobs)
  for (const batch of batchesOf(wanted, BATCH)) {
    const urls = await urlsOf(pulling, batch)
    const fetchEntry = async (entry: RemoteFile) => {
      try {
        await fetchOne(pulling, entry, urls, slot)
        if (entry.sha256 === null) unverified.push(entry.path)
        fetched.push(entry.path)
        fetchedBytes += entry.size
        progress.file(entry.path)
      } catch (error) {
        client.signal.throwIfAborted()
        failed.push({ path: entry.path, why: failureLine(error) })
        cause ??= error
      }
    }
    // One more file than slots, so that no slot is idle while a file is hashed.
    await pMap(batch, fetchEntry, { concurrency: pulling.jobs + 1 })
  }
  progress.end()

  failed.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { fetched, fetchedBytes, unverified, failed, cause }
}

type Urls = (path: string, fresh: boolean) => Promise<string>

/** Signed URLs of a batch from one request; an expired one is requested again alone. */
async function urlsOf({ client, repo }: Pulling, batch: readonly RemoteFile[]): Promise<Urls> {
  const targets = new Map(
    (
      await client.presignDownload(
        repo,
        batch.map((entry) => entry.path),
      )
    ).map((one) => [one.path, one]),
  )
  return async (path, fresh) => {
    let target = targets.get(path)
    if (fresh || target === undefined || Date.parse(target.expires_at) - Date.now() < EXPIRY_MARGIN_MS) {
      target = (await client.presignDownload(repo, [path])).find((one) => one.path === path)
      if (target === undefined) throw new Error(`The hub returned no download URL for ${path}.`)
      targets.set(path, target)
    }
    return target.url
  }
}

async function fetchOne(
  pulling: Pulling,
  entry: RemoteFile,
  urls: Urls,
  slot: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<void> {
  const { client, progress, state } = pulling
  const landing = await landingOf(pulling.root, entry.path, entry.sha256 ?? versionOf(entry))
  const url = (fresh: boolean) => urls(entry.path, fresh)
  const { size } = entry
  const fetching = { url, size, landing, progress, signal: client.signal, retry: client.retry, slot }
  state.rememberStored(entry, await fetchVerified({ ...fetching, sha256: state.digestOf(entry) }))
}
