/** `hub push` and `hub pull`. */
import { resolve } from 'node:path'
import {
  filesAt,
  type HubClient,
  type PullSource,
  type PushOptions,
  pullRepo,
  pushFolder,
  type RepoName,
} from '@hub/client/internal'
import { type Command, Option } from 'commander'
import { type ClientIo, countText, exitCode, exitCodeOf, sizeText } from './client-output.ts'
import {
  type CommandResult,
  type CommonOptions,
  collect,
  common,
  repoName,
  type Start,
  wholeFrom,
} from './client-session.ts'
import type { ClientSettings } from './client-settings.ts'
import { NotLoggedIn } from './command-errors.ts'
import { leftOutLines } from './left-out-lines.ts'
import { inV1Names } from './output.ts'
import { inLine, print } from './terminal.ts'
import { progressOn } from './transfer-progress.ts'

interface TransferOptions extends CommonOptions {
  readonly include: string[]
  readonly exclude: string[]
  readonly jobs?: number
}
interface PullCommandOptions extends TransferOptions {
  readonly force?: boolean
  readonly at?: string
  readonly delete?: boolean
  readonly dryRun?: boolean
}
interface PushCommandOptions extends TransferOptions {
  readonly message?: string
  readonly run?: string
  readonly kind?: PushOptions['kind']
  readonly private?: boolean
  readonly public?: boolean
  readonly delete?: boolean
  readonly dryRun?: boolean
  readonly ignore: boolean
  readonly includeSecrets?: boolean
  readonly allowSecrets: string[]
}

const pushHelp = `
What is pushed: every file of the folder, by its content, as one change (see hub log); equal files of the repo are
skipped. An interrupted push leaves the repo as it was, and goes on when repeated. Links inside
the folder are followed; a link that leaves it, or to a folder around it, stops the push before anything is sent,
unless excluded.
What is left out: what .gitignore and .hubignore say, as Git reads them (a .hubignore wins); build and cache folders
(node_modules, __pycache__, .venv, wandb …); files that may hold credentials (.env, *.pem, id_rsa, .netrc …), which
are named. .git and .hub never leave this machine. --delete keeps repo files that these rules leave out, and names them.
What stops the push: a secret in a text file of at most 4 MiB (a token, a private key, a key of a hub). The command
names file, line and kind, sends nothing and exits with 5. A line with "secretlint-disable-line" is not looked at.
A file of the repo where the folder has a folder, or the reverse, stops it too; --delete removes that file in the same
change.

Patterns: "*.png" matches names at any depth, "raw/" a folder and everything in it, "meshes/**" whole paths.

Examples:
  $ hub push ./arm ada/arm --kind robot --private   create the repo and push
  $ hub push ./arm ada/arm --dry-run                what would be sent, deleted and left out
  $ hub push ./arm ada/arm --delete                 make the repo like the folder
  $ hub push ./arm ada/arm -m "new gripper"         say what changed; hub log shows it
  $ hub push . ada/data --exclude raw/ --exclude "*.tmp"
  $ hub push . ada/data --include .env.ci           a file that is left out, named explicitly
  $ hub push . ada/data --allow-secrets notes/example.md   a text that only looks like a secret`

const pullHelp = `
What is overwritten: only files that were pulled into this folder or pushed from it, and have not been edited since. A
file with content of its own is a conflict: it is listed, stays as it is, and the command exits with 5 after pulling the
rest.
--delete removes only what was pulled and not edited. A file appears at once and whole, with its SHA-256 verified.

Examples:
  $ hub pull ada/arm ./arm
  $ hub pull ada/arm ./arm --dry-run                what would be fetched, deleted and in conflict
  $ hub pull ada/arm ./arm --delete                 also delete pulled files that the repo no longer has
  $ hub pull ada/arm ./arm --include arm.xml --force   take the repo's arm.xml, whatever is here
  $ hub pull ada/data ./data --include "meta/**" --jobs 8
  $ hub pull ada/data ./data --at v1                the files of a snapshot; see hub history, hub snapshots`

/** Adds both commands; `start` runs their work. */
export function registerTransferCommands(program: Command, io: ClientIo, start: Start): void {
  // The program itself also has --json and parses it in any position.
  const withJson = <T extends CommonOptions>(options: T): T => ({
    ...options,
    json: options.json ?? program.opts<CommonOptions>().json,
  })
  const transfer = (command: Command) =>
    common(command, io)
      .option('--include <glob>', 'only paths that match (repeatable)', collect, [])
      .option('--exclude <glob>', 'no paths that match, and nothing in folders that match (repeatable)', collect, [])

  transfer(
    program
      .command('push <dir> <repo>')
      .description('Upload the files of a folder to a repo (owner/slug); resumes an interrupted push'),
  )
    .addOption(
      new Option('--kind <kind>', 'create a missing repo, of this kind').choices(['dataset', 'model', 'robot']),
    )
    .addOption(new Option('--private', 'create it as private (default)').conflicts('public'))
    .option('--public', 'create it as public')
    .option('-m, --message <text>', 'what to remember about the change; see hub log')
    .option('--run <id>', 'run that made these files; the version of the model names it')
    .option('--delete', 'delete repo files that are not in the folder')
    .option('--dry-run', 'only print what would be done')
    .option('--no-ignore', 'also push what ignore files name, and build and cache folders')
    .option('--include-secrets', 'also push files that may hold credentials, and look into no file for secrets')
    .option('--allow-secrets <glob>', 'push files that match, also with a secret in them (repeatable)', collect, [])
    .option('--jobs <n>', 'parts sent at once (default: 4 files, but one part of 8 MiB at a time)', wholeFrom(1, 64))
    .addHelpText('after', pushHelp)
    .action((dir: string, repo: string, options: PushCommandOptions) =>
      start(options, (client, settings) =>
        push({ io, client, settings, dir: resolve(io.cwd, dir), repo: repoName(repo), options: withJson(options) }),
      ),
    )
  transfer(
    program
      .command('pull <repo> <dir>')
      .description('Download the files of a repo (owner/slug) into a folder, verified by SHA-256'),
  )
    .option(
      '--at <version>',
      'files of a version: a change number, a time, a run id, a commit id or the name of a snapshot',
    )
    .option('--force', 'overwrite files that have content of their own')
    .option('--delete', 'delete files that were pulled, are not edited, and are no longer in the repo')
    .option('--dry-run', 'only print what would be done')
    .option('--jobs <n>', 'files, or ranges of large files, fetched at once (default: 4)', wholeFrom(1, 64))
    .addHelpText('after', pullHelp)
    .action((repo: string, dir: string, options: PullCommandOptions) =>
      start(options, (client, settings) =>
        pull({ io, client, settings, repo: repoName(repo), dir: resolve(io.cwd, dir), options }),
      ),
    )
}

async function push({
  io,
  client,
  settings,
  dir,
  repo,
  options,
}: {
  readonly io: ClientIo
  readonly client: HubClient
  readonly settings: ClientSettings
  readonly dir: string
  readonly repo: RepoName
  readonly options: PushCommandOptions
}): Promise<CommandResult> {
  // Else a push of what a public repo has already would succeed, and the next one fail.
  if (settings.token === null && !options.dryRun) throw new NotLoggedIn(settings.url)
  const startedMs = performance.now()
  const progress = progressOn(io.stderr, { plan: !options.json && !options.dryRun })
  const { cause, ...report } = await pushFolder(client, repo, dir, {
    cacheDir: settings.cacheDir,
    filter: options,
    leaveOut: { ignore: options.ignore, includeSecrets: options.includeSecrets ?? false },
    allowSecrets: options.allowSecrets,
    message: options.message,
    runId: options.run,
    kind: options.kind ?? null,
    visibility: options.public ? 'public' : 'private',
    deleteExtra: options.delete ?? false,
    dryRun: options.dryRun ?? false,
    jobs: options.jobs,
    progress,
  })
  const told = options.json ? report.leftOut.filter(({ reason }) => reason === 'secret') : report.leftOut
  print(io.stderr, leftOutLines(told))
  const would = report.dryRun ? 'would ' : ''
  const verb = report.dryRun ? 'send' : 'sent'
  let text = report.created ? `${would}create${report.dryRun ? '' : 'd'} ${report.repo} (${options.kind})\n` : ''
  if (report.dryRun)
    text +=
      report.sent.map((path) => `would send    ${inLine(path)}\n`).join('') +
      report.deleted.map((path) => `would delete  ${inLine(path)}\n`).join('')
  text += report.kept.map((path) => `kept in the repo, since it is left out here: ${inLine(path)}\n`).join('')
  text += `${report.repo}: ${would}${verb} ${countText(report.sent.length, 'file')} (${sizeText(report.sentBytes)}), ${countText(report.skipped, 'file')} already in the repo`
  if (report.linked.length > 0)
    text += `, ${countText(report.linked.length, 'file')} (${sizeText(report.linkedBytes)}) whose bytes the hub had`
  if (report.deleted.length > 0) text += `, ${report.dryRun ? 'would delete' : 'deleted'} ${report.deleted.length}`
  if (report.leftOut.length > 0) text += `, ${report.leftOut.length} left out`
  text += `, in ${seconds(startedMs)}${progress.speedText()}\n`
  return { json: inV1Names(report), text, code: failures(io, report, cause) }
}

/** Pulls files of a repo into a folder, and says what came: those of `source`, which is by default what `options` name. */
export async function pull({
  io,
  client,
  settings,
  repo,
  dir,
  options,
  source = options.at === undefined ? undefined : filesAt(client, repo, options.at),
}: {
  readonly io: ClientIo
  readonly client: HubClient
  readonly settings: ClientSettings
  readonly repo: RepoName
  readonly dir: string
  readonly options: PullCommandOptions
  readonly source?: PullSource
}): Promise<CommandResult> {
  const startedMs = performance.now()
  const progress = progressOn(io.stderr)
  const { cause, ...report } = await pullRepo(client, repo, dir, {
    cacheDir: settings.cacheDir,
    filter: options,
    source,
    force: options.force ?? false,
    deleteGone: options.delete ?? false,
    dryRun: options.dryRun ?? false,
    jobs: options.jobs,
    progress,
  })
  const isDry = report.dryRun
  const listed = (what: string, paths: readonly string[]) =>
    paths.map((path) => `${what.padEnd(13)} ${inLine(path)}\n`).join('')
  let text = isDry ? listed('would fetch', report.fetched) + listed('would delete', report.deleted) : ''
  text += listed('kept, edited', report.kept)
  text += `${report.repo}: ${isDry ? 'would fetch' : 'fetched'} ${countText(report.fetched.length, 'file')} (${sizeText(report.fetchedBytes)}), ${countText(report.skipped, 'file')} already in the folder`
  if (report.deleted.length > 0) text += `, ${isDry ? 'would delete' : 'deleted'} ${report.deleted.length}`
  text += `, in ${seconds(startedMs)}${progress.speedText()}\n`
  if (report.unverified.length > 0) {
    text += `${countText(report.unverified.length, 'file')} could be checked by size only: the hub has not hashed them yet\n`
  }
  const code = failures(io, report, cause)
  if (report.conflicts.length === 0) return { json: inV1Names(report), text, code }
  const rows = report.conflicts.map(({ path, why }) => `  ${inLine(`${path}: ${why}`)}\n`)
  const many = countText(report.conflicts.length, 'file')
  print(
    io.stderr,
    `hub: ${many} here not overwritten (--force overwrites; or move them away, or --exclude them):\n${rows.join('')}`,
  )
  return { json: inV1Names(report), text, code: code === exitCode.ok ? exitCode.refused : code }
}

/** Prints the failed files; returns the exit code. */
function failures(
  io: ClientIo,
  report: { readonly failed: ReadonlyArray<{ path: string; why: string }> },
  cause: unknown,
): number {
  if (report.failed.length === 0) return exitCode.ok
  const rows = report.failed.map(({ path, why }) => `  ${inLine(`${path}: ${why}`)}\n`)
  print(io.stderr, `hub: ${countText(report.failed.length, 'file')} failed:\n${rows.join('')}`)
  return exitCodeOf(cause)
}

function seconds(startedMs: number): string {
  return `${((performance.now() - startedMs) / 1000).toFixed(1)} s`
}
