/** The folder into which an import brings the files of a state, and checks them, before it pushes them. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import pMap from 'p-map'
import type { HubClient } from '../hub-client.ts'
import { Interrupted } from '../interrupted.ts'
import { localPath } from '../landing.ts'
import { LocalError } from '../problem.ts'
import type { Progress } from '../progress.ts'
import { walkFolder } from '../walk.ts'
import { byteFault } from './check-bytes.ts'
import type { ImportSource, SourceFile, SourceState } from './source.ts'
import type { ImportTarget, SourceName } from './source-name.ts'

/** Named in one message. */
const MOST_FAULTS = 20

/** How long an interrupted import may rest before it starts over: 30 days. */
const KEPT_STAGE_MS = 30 * 86_400_000

const LOST_STAGE =
  'Files are not where they were brought to; nothing was changed. Another import of the same repo may have ended: ' +
  'run this one again.'

/** What is brought where. */
interface Staged {
  readonly name: SourceName
  readonly source: ImportSource
  readonly target: ImportTarget
  /** Folder of the transfer cache. */
  readonly cacheDir: string
  readonly jobs: number
  readonly progress: Progress
}

interface Staging {
  readonly client: HubClient
  readonly options: Staged
  readonly counts: { fetched: number; fetchedBytes: number }
}

/** One for each source, state and target: a later import of the same finds what an interrupted one left. */
export async function stagingFolder(
  { cacheDir, name, source, target }: Staged,
  { commit }: SourceState,
): Promise<string> {
  const of = [source.place, name.type, name.repo, commit, target.owner, target.slug].join('\n')
  const id = createHash('sha256').update(of).digest('hex').slice(0, 32)
  const folder = join(cacheDir, 'imports', id)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return realpath(folder)
}

/** An interrupted import may never be repeated, or its source may have left the commit: what it brought goes. */
export async function dropOldStages(cacheDir: string): Promise<void> {
  const all = join(cacheDir, 'imports')
  for (const name of await readdir(all).catch(() => [])) {
    const folder = join(all, name)
    const found = await stat(folder).catch(() => null)
    if (found && Date.now() - found.mtimeMs > KEPT_STAGE_MS) await rm(folder, { recursive: true, force: true })
  }
}

/** Brings what is wanted into the folder. What is there from before is checked, and kept. */
export async function stage(
  { client, options, counts }: Staging,
  { commit }: SourceState,
  folder: string,
  wanted: readonly SourceFile[],
): Promise<void> {
  const { source, progress, jobs } = options
  const { signal } = client
  const bytes = wanted.reduce((sum, { size }) => sum + size, 0)
  const slot = pLimit(jobs)
  let files = 0
  let done = 0
  progress.begin('fetch', wanted.length, bytes)
  const one = async (file: SourceFile) => {
    signal.throwIfAborted()
    const isHere = await isStaged(localPath(folder, file.path), file, signal)
    if (isHere) progress.bytes(file.size, 'known')
    else {
      await source.fetch(commit, { folder, file, progress, slot })
      counts.fetched += 1
      counts.fetchedBytes += file.size
    }
    files += 1
    done += file.size
    progress.file(file.path, isHere ? 'known' : undefined)
  }
  try {
    // One more file than slots, so that no slot is idle while a file is hashed.
    await pMap(wanted, one, { concurrency: jobs + 1 })
  } catch (error) {
    if (!signal.aborted) throw error
    throw new Interrupted(signal.reason, {
      files,
      bytes: done,
      ofFiles: wanted.length,
      ofBytes: bytes,
      partialBytes: 0,
    })
  } finally {
    progress.end()
  }
}

/** Rejects if the folder lacks what was brought into it. */
export async function assertAllStaged(folder: string, wanted: readonly SourceFile[]): Promise<void> {
  const staged = new Set((await walkFolder(folder)).map(({ path }) => path))
  const lost = wanted.flatMap(({ path }) => (staged.has(path) ? [] : [JSON.stringify(path)]))
  if (lost.length === 0) return
  throw new LocalError(
    `${LOST_STAGE} A file system that tells no capitals from small letters cannot keep two such names.`,
    lost.slice(0, MOST_FAULTS),
  )
}

async function isStaged(place: string, file: SourceFile, signal: AbortSignal): Promise<boolean> {
  if (!(await stat(place).catch(() => null))?.isFile()) return false
  if ((await byteFault(place, file, signal)) === null) return true
  await rm(place)
  return false
}

/** Two imports of one state share a folder, which the first to end removes: the other says so, whatever it did. */
export async function stagedWhole<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && path?.startsWith(folder)) throw new LocalError(LOST_STAGE)
    throw error
  }
}
