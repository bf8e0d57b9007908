/** `hub history`, `hub log`, `hub snapshot`, `hub snapshots`, `hub diff`, `hub restore` and `hub purge`: versions of a repo. */

import type { HubClient, RemoteChange, RemoteDifference, RepoName } from '@hub/client/internal'
import type { Command } from 'commander'
import { type ClientIo, countText, sizeText } from './client-output.ts'
import {
  type CommandResult,
  type CommonOptions,
  collect,
  common,
  repoName,
  type Start,
  UsageError,
} from './client-session.ts'
import { fileLog, firstLine, log, shortId, signs } from './commit-log.ts'
import { inLine } from './terminal.ts'

const statesHelp = `
A version is named by a change number (12), a time (2026-01-31T09:30:00Z), the id of a run that uses the repo as dataset
(run_…), a commit id (40 hex digits: see hub log), or the name of a snapshot; one that starts with a digit is
written snapshot:005000.
Numbers and times need the right to write the repo.`

const keptHelp = `
How long a version is kept: the hub keeps a replaced version for its grace period (a week, unless its operator set another
one), and beyond that while a snapshot names it or a run pinned it. What only snapshots keep counts in the owner's storage.`

/** Adds the commands. */
export function registerVersionCommands(program: Command, io: ClientIo, start: Start): void {
  addHistories(program, io, start)
  addSnapshots(program, io, start)
  addReturns(program, io, start)
  addPurge(program, io, start)
}

/** Which versions there are. */
function addHistories(program: Command, io: ClientIo, start: Start): void {
  common(program.command('history <repo>').description('List the changes of a repo whose versions are kept'), io)
    .addHelpText('after', `${keptHelp}\n\nExamples:\n  $ hub history ada/data\n  $ hub diff ada/data 41 42`)
    .action((repo: string, options: CommonOptions) => start(options, (client) => history(client, repoName(repo))))
  common(
    program
      .command('log <repo> [path]')
      .description('List the commits of a repo, or those that changed one file, with their messages'),
    io,
  )
    .addHelpText(
      'after',
      `
Anyone who can write the repo sees every version that is left; others see the current one and those that snapshots name.
A commit id names its version in --at, for everyone who can read the repo, as long as the version is kept. With a path,
only the commits are listed that added, changed or removed that file. A renamed file has another path: its log begins there.

Examples:
  $ hub log ada/data
  $ hub log ada/data meta/info.json
  $ hub push ./data ada/data -m "relabelled episode 7"`,
    )
    .action((repo: string, path: string | undefined, options: CommonOptions) =>
      start(options, (client) =>
        path === undefined ? log(client, repoName(repo)) : fileLog(client, repoName(repo), path),
      ),
    )
}

function addSnapshots(program: Command, io: ClientIo, start: Start): void {
  common(program.command('snapshot <repo> <name>').description('Name a version of a repo and keep it'), io)
    .option('--at <version>', 'version to name (default: the current one)')
    .option('--note <text>', 'what to remember about it')
    .option('--delete', 'delete the snapshot instead')
    .addHelpText(
      'after',
      `${statesHelp}\n${keptHelp}\n\nExamples:\n  $ hub snapshot ada/data v1 --note "before relabelling"\n  $ hub snapshot ada/data v1 --delete`,
    )
    .action((repo: string, name: string, options: SnapshotOptions) =>
      start(options, (client) => snapshot(client, repoName(repo), name, options)),
    )
  common(program.command('snapshots <repo>').description('List the snapshots of a repo'), io)
    .addHelpText('after', `${keptHelp}\n\nExamples:\n  $ hub snapshots ada/data\n  $ hub pull ada/data ./data --at v1`)
    .action((repo: string, options: CommonOptions) => start(options, (client) => snapshots(client, repoName(repo))))
}

/** What differs from a version, and the way back to one. */
function addReturns(program: Command, io: ClientIo, start: Start): void {
  common(program.command('diff <repo> <from> [to]').description('List what differs between two versions of a repo'), io)
    .addHelpText('after', `${statesHelp}\n\nExamples:\n  $ hub diff ada/data v1\n  $ hub diff ada/data 41 42`)
    .action((repo: string, from: string, to: string | undefined, options: CommonOptions) =>
      start(options, (client) => diff(client, repoName(repo), from, to)),
    )
  common(
    program.command('restore <repo>').description('Make the files of a repo those of a version, as a new change'),
    io,
  )
    .requiredOption('--at <version>', 'version to restore')
    .option('--path <path>', 'only this file, or this folder if it ends with / (repeatable)', collect, [])
    .option('--dry-run', 'only print what would change')
    .option('-m, --message <text>', 'what to remember about the change')
    .addHelpText(
      'after',
      `${statesHelp}
Nothing is lost: the change before is a version like any other, and can be restored in turn. A push that comes between the
look and the restoration is not undone: the command then fails, and can be repeated.

Examples:
  $ hub restore ada/data --at 41 --dry-run      what would change
  $ hub restore ada/data --at 41                undo everything since change 41, such as a push --delete
  $ hub restore ada/data --at v1 --path meta/ --path README.md`,
    )
    .action((repo: string, options: RestoreOptions) =>
      start(options, (client) => restore(client, repoName(repo), options)),
    )
}

function addPurge(program: Command, io: ClientIo, start: Start): void {
  common(
    program
      .command('purge <repo> <path...>')
      .description('Remove files from every version of a repo, for a secret that was pushed by mistake'),
    io,
  )
    .option('--yes', 'do not ask')
    .option('-m, --message <text>', 'what to remember about the change')
    .addHelpText(
      'after',
      `
Removes the files from the current version, the history, snapshots and what runs pinned. It cannot be undone. A secret that
was readable may have been read: replace it too. Bytes that the repo or another one has under another path stay there.

Examples:
  $ hub purge ada/data .env
  $ hub purge ada/data .env keys/id_rsa --yes`,
    )
    .action((repo: string, paths: string[], { yes: isSure = false, message, ...options }: PurgeOptions) =>
      start(options, (client) => purge({ io, client, repo: repoName(repo), paths, isSure, message })),
    )
}

interface SnapshotOptions extends CommonOptions {
  readonly at?: string
  readonly note?: string
  readonly delete?: boolean
}

interface PurgeOptions extends CommonOptions {
  readonly yes?: boolean
  readonly message?: string
}

interface RestoreOptions extends CommonOptions {
  readonly at: string
  readonly path: string[]
  readonly dryRun?: boolean
  readonly message?: string
}

async function history(client: HubClient, repo: RepoName): Promise<CommandResult> {
  const changes: RemoteChange[] = []
  for await (const page of client.versions.history(repo)) changes.push(...page)
  const rows = changes.map((change) => inLine(changeLine(change)))
  const text = `${rows.map((row) => `${row}\n`).join('')}${countText(changes.length, 'change')}${(changes.at(-1)?.seq ?? 1) > 1 ? '; the versions of older ones are gone' : ''}\n`
  return { json: { changes }, text }
}

function changeLine(change: RemoteChange): string {
  const { files_added: added, files_removed: removed, files_changed: changed } = change
  const did = `+${added} -${removed} ~${changed}`.padEnd(16)
  const state = `${countText(change.file_count, 'file')}, ${sizeText(change.total_bytes)}`
  const by = change.actor?.handle ?? '-'
  const named = [shortId(change.commit_id ?? ''), firstLine(change.message)].filter(Boolean).join('  ')
  return `${String(change.seq).padStart(6)}  ${change.time}  ${change.action.padEnd(8)}  ${did}  ${state}  by ${by}  ${named}  ${keeping(change)}`
}

function keeping({ snapshots: names, is_pinned: isPinned, kept_until: until }: RemoteChange): string {
  const reasons = [names.length > 0 ? `snapshot ${names.join(', ')}` : '', isPinned ? 'pinned' : ''].filter(Boolean)
  if (reasons.length > 0) return `kept: ${reasons.join('; ')}`
  return until === null ? 'current' : `kept until ${until}`
}

async function snapshot(
  client: HubClient,
  repo: RepoName,
  name: string,
  { at, note, delete: isGone }: SnapshotOptions,
): Promise<CommandResult> {
  if (isGone) {
    if (at !== undefined || note !== undefined) throw new UsageError('--delete takes neither --at nor --note.')
    await client.versions.deleteSnapshot(repo, name)
    return { json: { deleted: name }, text: inLine(`deleted the snapshot ${name} of ${fullName(repo)}`).concat('\n') }
  }
  const made = await client.versions.createSnapshot(repo, name, { at, note })
  const size = `${countText(made.file_count, 'file')}, ${sizeText(made.total_bytes)}`
  const text = `${fullName(repo)}: ${name} is change ${made.seq} (${size}) and keeps it until it is deleted`
  return { json: made, text: `${inLine(text)}\n` }
}

async function snapshots(client: HubClient, repo: RepoName): Promise<CommandResult> {
  const found = []
  for await (const page of client.versions.snapshots(repo)) found.push(...page)
  const rows = found.map((one) => {
    const size = `${countText(one.file_count, 'file')}, ${sizeText(one.total_bytes)}`
    return `${inLine(`${one.name.padEnd(20)}  change ${String(one.seq).padEnd(6)}  ${one.created_at}  ${size}  ${one.note ?? ''}`.trimEnd())}\n`
  })
  const text = `${rows.join('')}${countText(found.length, 'snapshot')}; what only they keep counts in the owner's storage\n`
  return { json: { snapshots: found }, text }
}

async function diff(client: HubClient, repo: RepoName, from: string, to?: string): Promise<CommandResult> {
  const differences: RemoteDifference[] = []
  for await (const page of client.versions.diff(repo, from, to)) differences.push(...page)
  return { json: { differences }, text: diffText(differences) }
}

function diffText(differences: readonly RemoteDifference[]): string {
  const rows = differences.map(({ change, path, before, after }) => {
    const sizes = [before, after].flatMap((side) => (side ? [sizeText(side.size)] : []))
    return `${inLine(`${signs[change] ?? '?'} ${path}  ${sizes.join(' -> ')}`)}\n`
  })
  const counted = (kind: string) => differences.filter(({ change }) => change === kind).length
  return `${rows.join('')}${counted('added')} added, ${counted('removed')} removed, ${counted('changed')} changed\n`
}

async function restore(
  client: HubClient,
  repo: RepoName,
  { at, path: paths, dryRun = false, message }: RestoreOptions,
): Promise<CommandResult> {
  const current = await currentSeq(client, repo)
  const differences: RemoteDifference[] = []
  for await (const page of client.versions.diff(repo, String(current), at))
    differences.push(...page.filter((one) => isWithin(one.path, paths)))
  if (dryRun) return { json: { dry_run: true, differences }, text: diffText(differences) }
  const done = await client.versions.restore(repo, {
    at,
    paths: paths.length > 0 ? paths : undefined,
    ifSeq: current,
    message,
  })
  const text =
    done.seq === current
      ? `${fullName(repo)} is already as it was at ${at}\n`
      : `${diffText(differences)}${fullName(repo)} is at change ${done.seq} now; to undo this: hub restore ${fullName(repo)} --at ${current}\n`
  return { json: { ...done, previous_seq: current }, text }
}

const isWithin = (path: string, paths: readonly string[]) =>
  paths.length === 0 || paths.some((given) => given === path || (given.endsWith('/') && path.startsWith(given)))

async function currentSeq(client: HubClient, repo: RepoName): Promise<number> {
  for await (const [newest] of client.versions.history(repo)) return newest?.seq ?? 0
  return 0
}

async function purge({
  io,
  client,
  repo,
  paths,
  isSure,
  message,
}: {
  readonly io: ClientIo
  readonly client: HubClient
  readonly repo: RepoName
  readonly paths: readonly string[]
  readonly isSure: boolean
  readonly message?: string | undefined
}): Promise<CommandResult> {
  if (paths.length > MAX_PURGED) throw new UsageError(`At most ${MAX_PURGED} paths at once.`)
  if (!isSure)
    await assertConfirmed(
      io,
      `Purge ${countText(paths.length, 'path')} from every version of ${fullName(repo)}? This cannot be undone.`,
    )
  const done = await client.versions.purge(repo, paths, { message })
  const lines = [
    ...done.purged.map((path) => `purged   ${path}`),
    ...done.missing.map((path) => `missing  ${path}`),
  ].map((line) => `${inLine(line)}\n`)
  return { json: done, text: `${lines.join('')}${countText(done.purged.length, 'path')} purged from every version\n` }
}

/** Paths of one request. */
const MAX_PURGED = 100

/** Asks on a terminal; without one, `--yes` is needed. */
async function assertConfirmed(io: ClientIo, question: string): Promise<void> {
  if (!io.ask) throw new UsageError(`${question} Add --yes to do it without being asked.`)
  const answer = await io.ask(`${question} [y/N] `)
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new UsageError('Nothing was purged.')
}

const fullName = ({ owner, slug }: RepoName) => `${owner}/${slug}`
