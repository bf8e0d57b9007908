/** The client commands: push, pull, ls, repos, whoami, login. They use only `/v1` and work with any hub. */
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import {
  DEFAULT_JOBS,
  type HubClient,
  LocalError,
  type PushOptions,
  pullRepo,
  pushFolder,
  type RepoFilters,
  type RepoName,
} from '../client/index.ts'
import { type ClientIo, countText, exitCode, exitCodeOf, progressOn, sizeText } from './client-output.ts'
import {
  type CommandResult,
  type CommonOptions,
  collect,
  common,
  repoName,
  runCommand,
  type Work,
  wholeFrom,
} from './client-session.ts'
import { type ClientSettings, storeSettings } from './client-settings.ts'
import { inV1Names, linesOf } from './output.ts'
import { inLine, print } from './terminal.ts'

interface TransferOptions extends CommonOptions {
  readonly include: string[]
  readonly exclude: string[]
  readonly jobs: number
}
interface PushCommandOptions extends TransferOptions {
  readonly kind?: PushOptions['kind']
  readonly private?: boolean
  readonly public?: boolean
  readonly delete?: boolean
  readonly dryRun?: boolean
}

/** Single-valued options of `hub repos`. */
const repoFilters = ['q', 'kind', 'owner', 'visibility', 'robot', 'sort'] as const satisfies (keyof RepoFilters)[]

/** Adds the client's commands to the `hub` program. */
export function registerClientCommands(program: Command, io: ClientIo): void {
  // The program itself also has --json and parses it in any position.
  const start = (options: CommonOptions, work: Work) =>
    runCommand(io, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, work)
  const transfer = (command: Command) =>
    common(command, io)
      .option('--include <glob>', 'only paths that match (repeatable)', collect, [])
      .option('--exclude <glob>', 'no paths that match (repeatable)', collect, [])
      .option('--jobs <n>', 'maximum concurrent parts or files', wholeFrom(1, 64), DEFAULT_JOBS)

  transfer(
    program
      .command('push <dir> <repo>')
      .description('Upload the files of a folder to a repo (owner/slug); resumes an interrupted push'),
  )
    .addOption(
      new Option('--kind <kind>', 'create the repo if it does not exist').choices(['dataset', 'model', 'robot']),
    )
    .addOption(new Option('--private', 'create it as private (default)').conflicts('public'))
    .option('--public', 'create it as public')
    .option('--delete', 'delete repo files that are not in the folder')
    .option('--dry-run', 'only print what would be done')
    .action((dir: string, repo: string, options: PushCommandOptions) =>
      start(options, (client, settings) => push(io, client, settings, resolve(io.cwd, dir), repoName(repo), options)),
    )
  transfer(
    program
      .command('pull <repo> <dir>')
      .description('Download the files of a repo (owner/slug) into a folder, verified by SHA-256'),
  ).action((repo: string, dir: string, options: TransferOptions) =>
    start(options, (client, settings) => pull(io, client, settings, repoName(repo), resolve(io.cwd, dir), options)),
  )
  common(program.command('ls <repo> [prefix]').description('List the files of a repo'), io).action(
    (repo: string, prefix: string | undefined, options: CommonOptions) =>
      start(options, (client) => list(client, repoName(repo), prefix ?? '')),
  )
  const repos = common(program.command('repos').description('List or search repos'), io)
  for (const name of repoFilters) repos.option(`--${name} <value>`, `filter ${name}, as in GET /v1/repos`)
  repos
    .option('--tag <tag>', 'only repos with this tag (repeatable; all must match)', collect, [])
    .action((options: CommonOptions & Record<string, unknown>) =>
      start(options, (client) => listRepos(client, options)),
    )
  common(program.command('whoami').description('Show the authenticated account'), io).action((options: CommonOptions) =>
    start(options, async (client) => {
      const me = await client.me()
      return { json: me, text: linesOf({ ...me }) }
    }),
  )
  common(
    program
      .command('login')
      .description('Store the hub URL and the token from HUB_TOKEN or --token-file for later commands'),
    io,
  ).action((options: CommonOptions) =>
    start(options, async (client, { url, token }) => {
      if (token === null) throw new LocalError('No token to store: set HUB_TOKEN or use --token-file.')
      await client.me()
      const file = await storeSettings(io.env, { url, token })
      return { json: { url, file }, text: `The token for ${url} works and is stored in ${file}.\n` }
    }),
  )
}

async function push(
  io: ClientIo,
  client: HubClient,
  settings: ClientSettings,
  dir: string,
  repo: RepoName,
  options: PushCommandOptions,
): Promise<CommandResult> {
  const startedMs = performance.now()
  const report = await pushFolder(client, repo, dir, {
    cacheDir: settings.cacheDir,
    filter: options,
    kind: options.kind ?? null,
    visibility: options.public ? 'public' : 'private',
    deleteExtra: options.delete ?? false,
    dryRun: options.dryRun ?? false,
    jobs: options.jobs,
    progress: progressOn(io.stderr),
  })
  const { cause, ...json } = report
  const would = report.dryRun ? 'would ' : ''
  const verb = report.dryRun ? 'send' : 'sent'
  let text = report.created ? `${would}create${report.dryRun ? '' : 'd'} ${report.repo} (${options.kind})\n` : ''
  if (report.dryRun)
    text +=
      report.sent.map((path) => `would send    ${inLine(path)}\n`).join('') +
      report.deleted.map((path) => `would delete  ${inLine(path)}\n`).join('')
  text += `${report.repo}: ${would}${verb} ${countText(report.sent.length, 'file')} (${sizeText(report.sentBytes)}), ${countText(report.skipped, 'file')} already in the repo`
  if (report.deleted.length > 0) text += `, ${report.dryRun ? 'would delete' : 'deleted'} ${report.deleted.length}`
  text += `, in ${seconds(startedMs)}\n`
  return { json: inV1Names(json), text, code: failures(io, report) }
}

async function pull(
  io: ClientIo,
  client: HubClient,
  settings: ClientSettings,
  repo: RepoName,
  dir: string,
  options: TransferOptions,
): Promise<CommandResult> {
  const startedMs = performance.now()
  const report = await pullRepo(client, repo, dir, {
    cacheDir: settings.cacheDir,
    filter: options,
    jobs: options.jobs,
    progress: progressOn(io.stderr),
  })
  const { cause, ...json } = report
  let text = `${report.repo}: fetched ${countText(report.fetched.length, 'file')} (${sizeText(report.fetchedBytes)}), ${countText(report.skipped, 'file')} already in the folder, in ${seconds(startedMs)}\n`
  if (report.unverified.length > 0) {
    text += `${countText(report.unverified.length, 'file')} could be checked by size only: the hub has not hashed them yet\n`
  }
  return { json: inV1Names(json), text, code: failures(io, report) }
}

/** Prints the failed files; returns the exit code. */
function failures(
  io: ClientIo,
  report: { readonly failed: ReadonlyArray<{ path: string; why: string }>; readonly cause: unknown },
): number {
  if (report.failed.length === 0) return exitCode.ok
  const rows = report.failed.map(({ path, why }) => `  ${inLine(`${path}: ${why}`)}\n`)
  print(io.stderr, `hub: ${countText(report.failed.length, 'file')} failed:\n${rows.join('')}`)
  return exitCodeOf(report.cause)
}

async function list(client: HubClient, repo: RepoName, prefix: string): Promise<CommandResult> {
  const files = []
  for await (const page of client.tree(repo, prefix)) files.push(...page)
  const bytes = files.reduce((sum, file) => sum + file.size, 0)
  const rows = files.map(({ size, sha256, path }) => {
    const digest = sha256?.slice(0, 12) ?? '(not hashed)'
    return `${inLine(`${String(size).padStart(14)}  ${digest}  ${path}`)}\n`
  })
  return { json: { files }, text: `${rows.join('')}${countText(files.length, 'file')}, ${sizeText(bytes)}\n` }
}

async function listRepos(client: HubClient, options: Record<string, unknown>): Promise<CommandResult> {
  const filters: { [Name in (typeof repoFilters)[number] | 'tag']?: RepoFilters[Name] } = {
    tag: options.tag as string[],
  }
  for (const name of repoFilters) {
    const value = options[name]
    if (typeof value === 'string') filters[name] = value
  }
  const repos = []
  for await (const page of client.repos(filters)) repos.push(...page)
  const rows = repos.map((repo) => {
    const { count, total_bytes: bytes } = repo.file_summary
    const size = `${countText(count, 'file').padStart(14)} ${sizeText(bytes).padStart(9)}`
    return `${inLine(`${repo.kind.padEnd(8)} ${repo.visibility.padEnd(8)} ${size}  ${repo.full_name}`)}\n`
  })
  return { json: { repos }, text: `${rows.join('')}${countText(repos.length, 'repo')}\n` }
}

function seconds(startedMs: number): string {
  return `${((performance.now() - startedMs) / 1000).toFixed(1)} s`
}
