/** The client commands: push, pull, ls, repos, whoami. They use only `/v1` and work with any hub. */

import type { HubClient, RepoFilters, RepoName } from '@hub/client/internal'
import { type Command, Option } from 'commander'
import { type ClientIo, countText, sizeText } from './client-output.ts'
import {
  type CommandResult,
  type CommonOptions,
  collect,
  common,
  repoName,
  runCommand,
  type Work,
} from './client-session.ts'
import { registerImportCommand } from './import-command.ts'
import { hubExamples, linesOf } from './output.ts'
import { inLine } from './terminal.ts'
import { registerTransferCommands } from './transfer-commands.ts'
import { registerVersionCommands } from './version-commands.ts'

/** Single-valued options of `hub repos`. */
const repoFilters = [
  'q',
  'kind',
  'owner',
  'visibility',
  'robot',
  'license',
  'sort',
] as const satisfies (keyof RepoFilters)[]

const filterTexts: Readonly<
  Record<(typeof repoFilters)[number], readonly [about: string, choices?: readonly string[]]>
> = {
  q: ['only repos with this text in slug or description'],
  kind: ['only repos of this kind', ['dataset', 'model', 'robot']],
  owner: ['only repos of this user or org'],
  visibility: ['only public or only private repos', ['public', 'private']],
  robot: ['only models and datasets of this robot'],
  license: ['only repos with this license in the header of README.md'],
  sort: ['newest first, by this time (default: created)', ['created', 'updated']],
}

function repoFilter(name: (typeof repoFilters)[number]): Option {
  const [about, choices] = filterTexts[name]
  const option = new Option(`--${name} <value>`, about)
  return choices ? option.choices(choices) : option
}

/** Adds the client's commands to the `hub` program. */
export function registerClientCommands(program: Command, io: ClientIo): void {
  // The program itself also has --json and parses it in any position.
  const start = (options: CommonOptions, work: Work) =>
    runCommand(io, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, work)
  registerTransferCommands(program, io, start)
  registerImportCommand(program, io, start)
  registerVersionCommands(program, io, start)
  common(program.command('ls <repo> [prefix]').description('List the files of a repo'), io)
    .addHelpText('after', hubExamples('ls ada/arm', 'ls ada/arm meshes/ --json'))
    .action((repo: string, prefix: string | undefined, options: CommonOptions) =>
      start(options, (client) => list(client, repoName(repo), prefix ?? '')),
    )
  const repos = common(program.command('repos').description('List or search repos'), io)
  for (const name of repoFilters) repos.addOption(repoFilter(name))
  repos
    .addHelpText(
      'after',
      hubExamples('repos --owner ada', 'repos --kind robot --visibility public --sort updated --json'),
    )
    .option('--tag <tag>', 'only repos with this tag (repeatable; all must match)', collect, [])
    .action((options: CommonOptions & Record<string, unknown>) =>
      start(options, (client) => listRepos(client, options)),
    )
  common(program.command('whoami').description('Show the authenticated account'), io)
    .addHelpText('after', hubExamples('whoami', 'whoami --json'))
    .action((options: CommonOptions) =>
      start(options, async (client) => {
        const me = await client.me()
        return { json: me, text: linesOf({ ...me }) }
      }),
    )
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
