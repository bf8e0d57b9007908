/** Pulls a repo into a folder. */
import { mkdir, realpath, rmdir, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { clashesBetween } from '@hub/text/file-path'
import pLimit from 'p-limit'
import pMap from 'p-map'
import { fetchVerified } from './fetch-verified.ts'
import { everything, type PathFilter, pathTest } from './globs.ts'
import type { HubClient } from './hub-client.ts'
import { Interrupted } from './interrupted.ts'
import { assertSafeListing, caseCollisions, landingOf, localPath, type SafeFolders } from './landing.ts'
import { failureLine, LocalError } from './problem.ts'
import { type Progress, silent } from './progress.ts'
import { type Conflict, findRemovable, type Incoming, isUntouched, planPull, type Removable } from './pull-plan.ts'
import { currentFiles, type PullSource, signedBatches, type Urls } from './pull-source.ts'
import { DEFAULT_JOBS } from './push.ts'
import type { FailedFile } from './push-tally.ts'
import type { RepoName } from './repo-name.ts'
import type { RemoteFile } from './shapes.ts'
import { openState, type TransferState, versionOf } from './state.ts'

export interface PullOptions {
  readonly cacheDir: string
  readonly filter?: PathFilter
  /** By default `currentFiles`. */
  readonly source?: PullSource
  /** Overwrites local edits. */
  readonly force?: boolean
  /** Deletes files that were pulled into the folder, are no longer in the repo and have not been edited. */
  readonly deleteGone?: boolean
  /** Writes and deletes nothing. */
  readonly dryRun?: boolean
  /** Maximum concurrent files, or ranges of large files. */
  readonly jobs?: number
  readonly progress?: Progress
}

export interface PullReport {
  readonly repo: string
  readonly dryRun: boolean
  /** In a dry run, what would be fetched. */
  readonly fetched: string[]
  readonly fetchedBytes: number
  readonly skipped: number
  readonly skippedBytes: number
  /** Files of the folder that were left as they are, because they have content of their own. */
  readonly conflicts: Conflict[]
  /** In a dry run, what would be deleted. */
  readonly deleted: string[]
  /** No longer in the repo, but edited here, so that `deleteGone` left them. */
  readonly kept: string[]
  /** Checked by size only, because the hub has not hashed them yet. */
  readonly unverified: string[]
  readonly failed: FailedFile[]
  readonly cause: unknown
}

/**
 * Downloads the repo's files into `dir`: each goes to a partial file, its SHA-256 is checked, then it replaces the
 * target by rename. Files that are equal, or not in the repo, are left alone; so is a file with content that was
 * neither pulled nor pushed from here, unless `force` is set. Nothing is written outside `dir`, whatever the listing
 * contains. Rejects with `LocalError`, `ProblemError`, `TransferError`, `Interrupted` or the client's abort reason;
 * failures of single files are in the report.
 */
export async function pullRepo(
  client: HubClient,
  repo: RepoName,
  dir: string,
  options: PullOptions,
): Promise<PullReport> {
  const { progress = silent, jobs = DEFAULT_JOBS, force = false, dryRun = false } = options
  const source = options.source ?? currentFiles(client, repo)
  const matches = pathTest(options.filter ?? everything)
  const listed: RemoteFile[] = []
  for await (const page of source.files()) listed.push(...page)
  const entries = listed.filter((entry) => matches(entry.path))
  assertSafeListing(entries)
  for (const group of caseCollisions(entries)) {
    progress.note(
      `warning: ${group.join(', ')} differ only in letter case; a case-insensitive file system keeps only one of them`,
    )
  }
  if (!dryRun) await mkdir(dir, { recursive: true })
  const root = await realpath(dir).catch(() => null)
  const state = openState(options.cacheDir, client.url, repo)
  const { signal } = client
  try {
    const plan = await planPull(entries, { root, state, force, jobs, progress, signal })
    const paths = new Set(listed.map((entry) => entry.path))
    const gone = options.deleteGone && root ? await findRemovable(root, paths, matches, { state, signal }) : nothingGone
    const { first, rest } = removalOrder(gone, plan.fetch)
    const deleted = dryRun ? namesOf(gone) : await removeAll(first, root ?? dir, state)
    const outcome =
      dryRun || root === null
        ? dryRunOutcome(plan.fetch)
        : await fetchAll({ client, source, root, state, progress, jobs, force }, plan.fetch)
    if (!dryRun && outcome.failed.length === 0) deleted.push(...(await removeAll(rest, root ?? dir, state)))
    return {
      repo: `${repo.owner}/${repo.slug}`,
      dryRun,
      skipped: plan.same.length,
      skippedBytes: plan.same.reduce((sum, entry) => sum + entry.size, 0),
      deleted,
      kept: gone.kept,
      ...outcome,
      conflicts: [...plan.conflicts, ...outcome.conflicts].sort(byPath),
    }
  } finally {
    progress.end()
    state.close()
  }
}

const nothingGone: Removable = { remove: [], kept: [] }
const namesOf = ({ remove }: Removable) => remove.map(({ path }) => path)

/**
 * A path is a file or a folder: what is here where the repo now has the other is removed before the fetch, all else
 * only after it.
 */
function removalOrder({ remove, kept }: Removable, wanted: readonly Incoming[]): { first: Removable; rest: Removable } {
  const clashes = clashesBetween(
    remove.map(({ path }) => path),
    wanted.map(({ entry }) => entry.path),
  )
  const inTheWay = new Set(clashes.map(({ path }) => path))
  return {
    first: { remove: remove.filter(({ path }) => inTheWay.has(path)), kept },
    rest: { remove: remove.filter(({ path }) => !inTheWay.has(path)), kept },
  }
}

interface Pulling {
  readonly client: HubClient
  readonly source: PullSource
  readonly root: string
  readonly state: TransferState
  readonly progress: Progress
  readonly jobs: number
  readonly force: boolean
}

type Outcome = Pick<PullReport, 'fetched' | 'fetchedBytes' | 'unverified' | 'failed' | 'cause' | 'conflicts'>

function dryRunOutcome(wanted: readonly Incoming[]): Outcome {
  const fetched = wanted.map(({ entry }) => entry.path)
  return { fetched, fetchedBytes: totalBytes(wanted), unverified: [], failed: [], cause: null, conflicts: [] }
}

const totalBytes = (wanted: readonly Incoming[]) => wanted.reduce((sum, { entry }) => sum + entry.size, 0)

/** The file in the place of a fetched one changed while it was fetched. */
class ChangedMeanwhile extends LocalError {}

async function fetchAll(pulling: Pulling, wanted: readonly Incoming[]): Promise<Outcome> {
  const { client, progress, jobs } = pulling
  const fetched: string[] = []
  const unverified: string[] = []
  const failed: FailedFile[] = []
  const conflicts: Conflict[] = []
  let fetchedBytes = 0
  let keptBytes = 0
  let cause: unknown = null
  progress.begin('fetch', wanted.length, totalBytes(wanted))
  const slot = pLimit(jobs)
  const kept = (bytes: number) => {
    keptBytes += bytes
  }
  const fetchEntry = async (incoming: Incoming, urls: Urls, safe: SafeFolders) => {
    const { entry } = incoming
    try {
      await fetchOne(pulling, incoming, urls, { slot, kept, safe })
      if (entry.sha256 === null) unverified.push(entry.path)
      fetched.push(entry.path)
      fetchedBytes += entry.size
      progress.file(entry.path)
    } catch (error) {
      client.signal.throwIfAborted()
      if (error instanceof ChangedMeanwhile) conflicts.push({ path: entry.path, why: error.message })
      else {
        failed.push({ path: entry.path, why: failureLine(error) })
        cause ??= error
      }
    }
  }
  try {
    for await (const { batch, urls } of signedBatches(pulling.source, wanted)) {
      const safe: SafeFolders = new Map()
      // One more file than slots, so that no slot is idle while a file is hashed.
      await pMap(batch, (incoming) => fetchEntry(incoming, urls, safe), { concurrency: jobs + 1 })
    }
  } catch (error) {
    if (!client.signal.aborted) throw error
    throw new Interrupted(client.signal.reason, {
      ...{ files: fetched.length, bytes: fetchedBytes, ofFiles: wanted.length, ofBytes: totalBytes(wanted) },
      partialBytes: Math.max(0, keptBytes - fetchedBytes),
    })
  }
  progress.end()
  // Files end in any order; a report that is compared with another should not.
  failed.sort(byPath)
  return { fetched: fetched.sort(), fetchedBytes, unverified: unverified.sort(), failed, cause, conflicts }
}

const byPath = (a: { readonly path: string }, b: { readonly path: string }) => (a.path < b.path ? -1 : 1)

interface Using {
  readonly slot: <T>(work: () => Promise<T>) => Promise<T>
  readonly safe: SafeFolders
  kept(bytes: number): void
}

async function fetchOne(
  { client, root, state, progress, force }: Pulling,
  { entry, before }: Incoming,
  urls: Urls,
  { safe, ...using }: Using,
): Promise<void> {
  const landing = await landingOf(root, entry.path, entry.sha256 ?? versionOf(entry), safe)
  const sha256 = await fetchVerified({
    url: (fresh) => urls(entry.path, fresh),
    size: entry.size,
    landing,
    progress,
    signal: client.signal,
    retry: client.retry,
    ...using,
    sha256: state.digestOf(entry),
    async assertReplaceable() {
      if (!force && !(await isUntouched(landing.target, before)))
        throw new ChangedMeanwhile('it was changed here while it was fetched')
    },
  })
  if (entry.sha256 === null) state.rememberStored(entry, sha256)
  state.rememberSynced(localPath(root, entry.path), entry.path, sha256)
}

/** Deletes the files, and folders that this leaves empty. */
async function removeAll({ remove }: Removable, root: string, state: TransferState): Promise<string[]> {
  for (const { file } of remove) {
    await unlink(file)
    state.forgetSynced(file)
    for (let folder = dirname(file); folder !== root; folder = dirname(folder)) {
      const isGone = await rmdir(folder).then(
        () => true,
        () => false,
      )
      if (!isGone) break
    }
  }
  return namesOf({ remove, kept: [] })
}
