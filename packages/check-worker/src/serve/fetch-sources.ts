/**
 * Downloads the snapshot of a check: exactly the files that the hub lists, each verified, none outside of its folder.
 */
import { lstat, mkdir, realpath, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchVerified } from '@hub/client/fetch-verified'
import { sha256Of } from '@hub/client/hash'
import { type ClaimedCheck, LocalError, type Progress, silent } from '@hub/client/internal'
import { assertSafeListing, landingOf } from '@hub/client/landing'
import type { RetryPolicy } from '@hub/client/retry'
import { countText, sizeText } from '@hub/text/amounts'
import pLimit from 'p-limit'
import pMap from 'p-map'

type Source = NonNullable<ClaimedCheck['sources']>[number]

export interface SourcesFetch {
  readonly sources: readonly Source[]
  readonly folder: string
  /** Whether the URLs of `sources` were signed just now. */
  readonly isFresh: boolean
  /** The sources with fresh URLs. */
  readonly signAgain: () => Promise<readonly Source[]>
  readonly log: (line: string) => void
  readonly signal: AbortSignal
}

/** Files at a time: most of a robot's are small. */
const CONCURRENCY = 6
/** About ten minutes: a hub that restarts must not fail a check. */
const retry: RetryPolicy = { attempts: 45, baseMs: 250, maxMs: 15_000, random: Math.random }
/** Lines of progress, for downloads that take long. */
const PROGRESS_MS = 10_000

/**
 * Files that are there already are kept if their digest is right. Rejects with a `LocalError` that says what to do, or
 * the client's error.
 */
export async function fetchSources({ sources, folder, isFresh, signAgain, log, signal }: SourcesFetch): Promise<void> {
  assertSafeListing(sources)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const root = await realpath(folder)
  const missing = await missingOf(root, sources, signal)
  const bytes = missing.reduce((sum, { size }) => sum + size, 0)
  if (missing.length === 0) return
  await assertRoom(root, bytes)
  log(`fetching ${missing.length} of ${countText(sources.length, 'file')}, ${sizeText(bytes)}`)
  const urls = signedUrls(isFresh ? sources : null, signAgain)
  const slot = pLimit(CONCURRENCY)
  const { progress, stop } = spokenProgress(bytes, log)
  const failed = new AbortController()
  const within = AbortSignal.any([signal, failed.signal])
  try {
    await pMap(
      missing,
      async ({ path, size, sha256 }) => {
        const landing = await landingOf(root, path, sha256)
        const url = (fresh: boolean) => urls(path, fresh)
        await fetchVerified({ url, size, sha256, landing, progress, signal: within, retry, slot })
      },
      { concurrency: CONCURRENCY, signal: within },
    )
  } catch (error) {
    failed.abort(error)
    throw error
  } finally {
    stop()
  }
}

async function missingOf(root: string, sources: readonly Source[], signal: AbortSignal): Promise<Source[]> {
  const isThere = async ({ path, size, sha256 }: Source) => {
    const file = join(root, ...path.split('/'))
    const found = await lstat(file).catch(() => null)
    return Boolean(found?.isFile() && found.size === size) && (await sha256Of(file, signal)) === sha256
  }
  const there = await pMap(sources, isThere, { concurrency: CONCURRENCY })
  return sources.filter((_, index) => !there[index])
}

async function assertRoom(root: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(root)
  if (bytes <= bavail * bsize) return
  throw new LocalError(
    `The files of the check have ${sizeText(bytes)}, and the disk of this worker has ${sizeText(bavail * bsize)} left: move large files out of the repo, or give the worker a larger --work.`,
  )
}

/** The URL of a path; one request signs all of them again for everyone who waits. */
function signedUrls(first: readonly Source[] | null, signAgain: SourcesFetch['signAgain']) {
  const mapOf = (sources: readonly Source[]) => new Map(sources.map(({ path, url }) => [path, url]))
  let known = first && mapOf(first)
  let signing: Promise<void> | null = null
  return async (path: string, fresh: boolean): Promise<string> => {
    if (known === null || fresh) {
      signing ??= signAgain()
        .then((sources) => {
          known = mapOf(sources)
        })
        .finally(() => {
          signing = null
        })
      await signing
    }
    const url = known?.get(path)
    if (url === undefined) throw new LocalError(`The hub returned no download URL for ${path}.`)
    return url
  }
}

function spokenProgress(total: number, log: (line: string) => void): { progress: Progress; stop: () => void } {
  let done = 0
  const timer = setInterval(() => log(`fetched ${sizeText(Math.max(0, done))} of ${sizeText(total)}`), PROGRESS_MS)
  const progress = {
    ...silent,
    bytes(count: number) {
      done += count
    },
  }
  return { progress, stop: () => clearInterval(timer) }
}
