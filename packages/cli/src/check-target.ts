/** What a check is about: a local folder, which is pushed first, or a repo. */
import { stat } from 'node:fs/promises'
import { basename, join, resolve, sep } from 'node:path'
import { type HubClient, LocalError, ProblemError, pushFolder, type RepoName } from '@hub/client/internal'
import { type ClientIo, countText } from './client-output.ts'
import { repoName, UsageError } from './client-session.ts'
import { leftOutLines } from './left-out-lines.ts'
import { inLine, print } from './terminal.ts'
import { progressOn } from './transfer-progress.ts'

export interface TargetOptions {
  readonly robot?: string
  readonly modelRepo?: string
  readonly hf?: string
  /** Globs of files of the folder. */
  readonly allowSecrets: readonly string[]
}

export interface CheckTarget {
  readonly kind: 'robot' | 'model'
  /** `owner/slug`. */
  readonly repo: string
  /** In the repo; null for a policy that is imported. */
  readonly entry: string | null
}

/**
 * Pushes a folder, or makes the repo of an imported policy, where it is missing: private, since it has not been looked
 * at yet. `beforePush` may throw.
 */
export async function checkTarget({
  io,
  client,
  cacheDir,
  given,
  options,
  beforePush,
}: {
  readonly io: ClientIo
  readonly client: HubClient
  readonly cacheDir: string
  readonly given: { readonly what: string; readonly entry: string | undefined }
  readonly options: TargetOptions
  readonly beforePush: (kind: CheckTarget['kind']) => void
}): Promise<CheckTarget> {
  const dir = resolve(io.cwd, given.what)
  const isFolder = (await stat(dir).catch(() => null))?.isDirectory() ?? false
  if (isFolder) {
    beforePush(options.modelRepo === undefined ? 'robot' : 'model')
    return pushed({ io, client, cacheDir, dir, given, options })
  }
  const repo = repoName(given.what)
  const kind = await kindOf(client, repo, options)
  if (kind === 'dataset') throw new UsageError(`${given.what} is a dataset: robots and models are checked.`)
  if (given.entry === undefined && options.hf === undefined) throw new UsageError(entryMissing(kind))
  const entry = options.hf === undefined ? (given.entry ?? null) : null
  return { kind: kind === 'model' ? 'model' : 'robot', repo: given.what, entry }
}

const entryMissing = (kind: string) =>
  kind === 'model'
    ? 'Name the policy: an ONNX file or a checkpoint directory of the repo; or --hf ORG/NAME to import one.'
    : 'Name the model file: the MJCF or URDF of the robot.'

async function kindOf(client: HubClient, repo: RepoName, { hf }: TargetOptions): Promise<string> {
  try {
    return (await client.getRepo(repo)).kind
  } catch (error) {
    if (hf === undefined || !(error instanceof ProblemError) || error.status !== 404) throw error
    return (await client.createRepo(repo, 'model', 'private')).kind
  }
}

async function pushed({
  io,
  client,
  cacheDir,
  dir,
  given: { what, entry },
  options,
}: {
  readonly io: ClientIo
  readonly client: HubClient
  readonly cacheDir: string
  readonly dir: string
  /** The folder as it was written. */
  readonly given: { readonly what: string; readonly entry: string | undefined }
  readonly options: TargetOptions
}): Promise<CheckTarget> {
  const kind = options.modelRepo === undefined ? 'robot' : 'model'
  if (options.hf !== undefined)
    throw new UsageError('A policy of Hugging Face is imported into a repo: hub check OWNER/REPO --hf ORG/NAME.')
  if (entry === undefined) throw new UsageError(entryMissing(kind))
  const path = await pathIn(io, dir, entry)
  const repo = options.modelRepo ?? options.robot ?? (await ownRepo(client, dir))
  print(io.stderr, `hub: pushing ${inLine(what)} to ${inLine(repo)}\n`)
  const { allowSecrets } = options
  const push = { cacheDir, kind, visibility: 'private', allowSecrets, progress: progressOn(io.stderr) } as const
  const { failed, sent, created, leftOut } = await pushFolder(client, repoName(repo), dir, push)
  print(io.stderr, leftOutLines(leftOut))
  if (failed.length > 0) {
    const faults = failed.map(({ path: file, why }) => `${file}: ${why}`)
    throw new LocalError(`${countText(failed.length, 'file')} could not be pushed; nothing was checked.`, faults)
  }
  const made = created ? ', a new private repo' : ''
  print(io.stderr, `hub: sent ${countText(sent.length, 'file')} to ${inLine(repo)}${made}\n`)
  return { kind, repo, entry: path }
}

/** A repo of the caller, named after the folder. */
async function ownRepo(client: HubClient, dir: string): Promise<string> {
  const { handle } = (await client.me()).account
  const slug = basename(dir)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
  if (slug === '') throw new UsageError('Say where to push the folder: --robot OWNER/REPO.')
  return `${handle}/${slug}`
}

/** The entry may be relative to the folder or, as the shell completes it, to the working directory. */
async function pathIn({ cwd }: ClientIo, dir: string, entry: string): Promise<string> {
  const isThere = async (file: string) => (await stat(file).catch(() => null)) !== null
  const absolute = resolve(cwd, entry)
  const inFolder = absolute.startsWith(dir + sep) && !(await isThere(join(dir, entry)))
  const path = inFolder ? absolute.slice(dir.length + 1) : entry.replace(/^(\.\/+)+/, '')
  if (!(await isThere(join(dir, path)))) throw new UsageError(`${path} is not in ${dir}.`)
  return path.split(sep).join('/').replace(/\/+$/, '').normalize('NFC')
}
