/** Pushes files of a run folder under other paths of a repo, as one change. */
import { copyFile, link, mkdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type HubClient,
  isOfContent,
  LocalError,
  nothingLeftOut,
  pushFolder,
  type RepoName,
} from '@hub/client/internal'
import type { MediaFile } from './media-lines.ts'

interface PushTarget {
  readonly client: HubClient
  readonly repo: RepoName
  /** A folder of ours, on the disk of the files. */
  readonly staging: string
  readonly message: string
}

/** What was pushed, and the files that the hub refused, by path, with why. */
export interface Pushed {
  readonly refused: ReadonlyMap<string, string>
  /** The number of each file that was pushed: another one may be in its place by now. */
  readonly inodes: ReadonlyMap<string, bigint>
}

/**
 * Pushes the files; of two with one path the later. Rejects with what concerns all of them, and with what another try
 * may change. The memory of what is sent is there until `forgetPushed`, so that a try after a kill does not start over.
 */
export async function pushFiles(target: PushTarget, files: readonly MediaFile[]): Promise<Pushed> {
  const inodes = new Map<string, bigint>()
  const folder = join(target.staging, 'files')
  await rm(folder, { recursive: true, force: true })
  for (const { file, path } of files) {
    const staged = join(folder, ...path.split('/'))
    await mkdir(dirname(staged), { recursive: true, mode: 0o700 })
    await rm(staged, { force: true })
    // Another file that is renamed into its place meanwhile is another one.
    await link(file, staged).catch(() => copyFile(file, staged))
    inodes.set(file, (await stat(file, { bigint: true })).ino)
  }
  const report = await pushFolder(target.client, target.repo, folder, {
    cacheDir: join(target.staging, 'sent'),
    leaveOut: nothingLeftOut,
    kind: 'model',
    areNew: true,
    message: target.message,
  })
  if (report.failed.length > 0 && !isOfTheFile(report.cause)) throw report.cause
  return { refused: new Map(report.failed.map(({ path, why }) => [path, why])), inodes }
}

/** Forgets what is staged and sent, once that is on record. */
export const forgetPushed = (staging: string): Promise<void> => rm(staging, { recursive: true, force: true })

/** The hub refuses the file itself, so it is left out. A full quota is not that: room may come. */
const isOfTheFile = (error: unknown) => error instanceof LocalError || isOfContent(error)

/** Removes files that are in the repo, unless another one is in the place of one. */
export async function removePushed(inodes: ReadonlyMap<string, bigint>): Promise<void> {
  for (const [file, ino] of inodes) {
    const now = await stat(file, { bigint: true }).catch(() => null)
    if (now?.ino === ino) await rm(file, { force: true })
  }
}
