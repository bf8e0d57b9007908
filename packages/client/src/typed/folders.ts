/** `@hub/client/folders`: whole folders to and from repos, on Node. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createHubClient } from '../hub-client.ts'
import type { Progress } from '../progress.ts'
import { pullRepo } from '../pull.ts'
import { pushFolder as pushTo } from '../push.ts'
import type { RepoName } from '../repo-name.ts'
import type { RepoKind, Visibility } from '../v1.ts'
import { connectionOf } from './create-client.ts'
import type { Client } from './types.ts'

export interface TransferSettings {
  /** Only paths that match one of these globs. */
  readonly include?: readonly string[]
  /** No paths that match one of these. */
  readonly exclude?: readonly string[]
  /** Maximum concurrent files or parts. */
  readonly jobs?: number
  /**
   * Where digests and interrupted transfers are remembered: `~/.cache/hub/transfers` by default, as the command line.
   */
  readonly cacheDir?: string
  readonly progress?: Progress
  /** Changes nothing and tells what would be done. */
  readonly dryRun?: boolean
  /** Ends the transfer; the next one resumes it. */
  readonly signal?: AbortSignal
}

export interface PushSettings extends TransferSettings {
  /** Creates a missing repo with this kind. */
  readonly kind?: RepoKind
  /** Of a repo that is created; private by default. */
  readonly visibility?: Visibility
  /** Deletes files of the repo that the folder lacks. */
  readonly deleteExtra?: boolean
  /**
   * Globs of files that are sent whatever secret is in their text. A push of others with one rejects before anything is
   * sent, with `faults` that name them.
   */
  readonly allowSecrets?: readonly string[]
}

export interface PullSettings extends TransferSettings {
  /** Overwrites files with content of their own. */
  readonly force?: boolean
  /** Deletes files that were pulled before, are no longer in the repo and have not been edited. */
  readonly deleteGone?: boolean
}

/** A file and why it is not as the others. */
export interface FileNote {
  readonly path: string
  readonly why: string
}

export interface LeftOutFile {
  readonly path: string
  readonly reason: string
}

export interface PushResult {
  readonly created: boolean
  /** Paths. */
  readonly sent: readonly string[]
  readonly sentBytes: number
  /** Paths of files that were not sent, because the hub has their bytes in another file. */
  readonly linked: readonly string[]
  /** How many were in the repo already. */
  readonly skipped: number
  readonly deleted: readonly string[]
  /** What of the folder was not pushed because of its rules: ignore files, caches, credentials. */
  readonly leftOut: readonly LeftOutFile[]
  readonly failed: readonly FileNote[]
}

export interface PullResult {
  readonly fetched: readonly string[]
  readonly fetchedBytes: number
  /** How many were in the folder already. */
  readonly skipped: number
  readonly deleted: readonly string[]
  /** Left as they are, because they have content of their own. */
  readonly conflicts: readonly FileNote[]
  /** Checked by size only, because the hub has not hashed them yet. */
  readonly unverified: readonly string[]
  readonly failed: readonly FileNote[]
}

/**
 * Uploads what the repo (`owner/slug`) lacks of a folder. Failures of single files are in the result; everything else
 * rejects, before anything is sent where the folder is at fault.
 */
export async function pushFolder(
  client: Client,
  dir: string,
  repo: string,
  settings: PushSettings = {},
): Promise<PushResult> {
  const { kind = null, visibility, deleteExtra, allowSecrets } = settings
  const options = { ...transfer(settings), kind, visibility, deleteExtra, allowSecrets }
  return pushTo(hubClient(client, settings), repoName(repo), dir, options)
}

/** Downloads what the folder lacks of a repo; each file is verified before it takes its place. */
export async function pullFolder(
  client: Client,
  repo: string,
  dir: string,
  settings: PullSettings = {},
): Promise<PullResult> {
  const { force, deleteGone } = settings
  return pullRepo(hubClient(client, settings), repoName(repo), dir, { ...transfer(settings), force, deleteGone })
}

function hubClient(client: Client, { signal }: TransferSettings) {
  const connection = connectionOf(client)
  const signals = [connection.signal, signal].filter((one) => one !== undefined)
  return createHubClient(signals.length > 0 ? { ...connection, signal: AbortSignal.any(signals) } : connection)
}

function transfer({ include = [], exclude = [], jobs, cacheDir, progress, dryRun }: TransferSettings) {
  return {
    cacheDir: cacheDir ?? join(homedir(), '.cache', 'hub', 'transfers'),
    filter: { include: [...include], exclude: [...exclude] },
    jobs,
    progress,
    dryRun,
  }
}

function repoName(text: string): RepoName {
  const [owner, slug, ...more] = text.split('/')
  if (!owner || !slug || more.length > 0) throw new TypeError(`${JSON.stringify(text)} is not owner/slug.`)
  return { owner, slug }
}
