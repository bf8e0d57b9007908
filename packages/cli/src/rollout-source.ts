/** A robot or a policy of `hub rollout`: a folder of this machine, or a repo of the hub, which is pulled into one. */
import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { filesAt, type HubClient, LocalError, pullRepo } from '@hub/client/internal'
import { writeExact } from '@hub/formats/exact-json'
import { type ClientIo, countText } from './client-output.ts'
import { repoName, UsageError } from './client-session.ts'
import type { ClientSettings } from './client-settings.ts'
import { cardOf } from './robot-card.ts'
import { inLine, print } from './terminal.ts'
import { progressOn } from './transfer-progress.ts'

export interface Source {
  /** Folder of this machine. */
  readonly folder: string
  /** The file that was named in it. */
  readonly entry: string | null
  /** `owner/slug`; null for a folder. */
  readonly repo: string | null
  /** The version that was named: a snapshot, a change number, a time. */
  readonly at: string | null
  /** Of a robot, as JSON; null where there is none. */
  card(): Promise<string | null>
}

interface SourceOptions {
  readonly io: ClientIo
  readonly client: HubClient
  readonly settings: ClientSettings
  /** What is pulled of a repo; all of it where empty. */
  readonly include: readonly string[]
}

/** `text`: a folder, a file in one, or `OWNER/REPO[@VERSION][:FILE]`. */
export async function sourceOf(text: string, options: SourceOptions): Promise<Source> {
  const path = resolve(options.io.cwd, text)
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory()) return local(path, null)
  if (found) return local(dirname(path), basename(path))
  const [, name = '', at = null, entry = null] = /^([\w.-]+\/[\w.-]+)(?:@([^:]+))?(?::(.+))?$/.exec(text) ?? []
  if (name === '') throw new UsageError(`${JSON.stringify(text)} is neither a folder, nor a file, nor OWNER/REPO.`)
  return pulled(name, at, entry, options)
}

function local(folder: string, entry: string | null): Source {
  const card = async () => {
    const { textIn } = await import('@hub/rollout/processes/prepare')
    return textIn(folder, 'robot_card.json')
  }
  return { folder, entry, repo: null, at: null, card }
}

async function pulled(
  repo: string,
  at: string | null,
  entry: string | null,
  { io, client, settings: { cacheDir }, include }: SourceOptions,
): Promise<Source> {
  const name = repoName(repo)
  // Beside the transfers: what was pulled for one command is there for the next.
  const folder = join(cacheDir, '..', 'rollouts', name.owner, name.slug)
  print(io.stderr, `hub: pulling ${inLine(repo)}${at === null ? '' : ` at ${inLine(at)}`}\n`)
  const report = await pullRepo(client, name, folder, {
    cacheDir,
    filter: { include, exclude: [] },
    ...(at !== null && { source: filesAt(client, name, at) }),
    force: true,
    deleteGone: true,
    progress: progressOn(io.stderr),
  })
  if (report.failed.length > 0)
    throw new LocalError(`${countText(report.failed.length, 'file')} of ${repo} could not be pulled.`)
  const why = async () => {
    const { textIn } = await import('@hub/rollout/processes/prepare')
    const isPushed = (await textIn(folder, 'robot_card.json')) !== null
    return isPushed ? 'its file robot_card.json is none until it is stored' : 'a rollout needs one'
  }
  const card = async () => writeExact(await cardOf(client, repo, why))
  return { folder, entry: entry?.split(sep).join('/') ?? null, repo, at, card }
}
