/** The folder into which an import brings the files of a state, and checks them, before it pushes them. */
import { rm, stat } from 'node:fs/promises'
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
import { claimStage, dropStage, leaveStage } from './stage-folder.ts'

/** Named in one message. */
const MOST_FAULTS = 20

const LOST_STAGE =
  'Files are not where they were brought to; nothing was changed. Something has removed them: run the import again.'

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

/** Does `work` in a folder of this import, which goes with it; what a failed one brought stays for the next of the same. */
export async function inStage<T>(
  { cacheDir, name, source, target }: Staged,
  { commit }: SourceState,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const of = [source.place, name.type, name.repo, commit, target.owner, target.slug].join('\n')
  const folder = await claimStage(cacheDir, of)
  try {
    const done = await work(folder)
    await dropStage(folder)
    return done
  } catch (error) {
    // Why it failed is what the caller has to know.
    await leaveStage(folder).catch(() => {})
    const { code, path } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && path?.startsWith(folder)) throw new LocalError(LOST_STAGE)
    throw error
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
