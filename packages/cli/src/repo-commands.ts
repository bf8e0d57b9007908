/** `hub repo`: create, view, edit, delete, move; and `hub search`. */

import type { HubClient, RemoteRepo } from '@hub/client/internal'
import { type Command, Option } from 'commander'
import { countText, sizeText } from './client-output.ts'
import {
  type CommandResult,
  type CommonOptions,
  collect,
  common,
  repoName,
  runCommand,
  UsageError,
  type Work,
  wholeFrom,
} from './client-session.ts'
import { commandGroup } from './command-group.ts'
import { hubExamples } from './output.ts'
import { type AskingIo, confirmByName } from './prompt.ts'
import { shownRepo } from './shown-repo.ts'
import { inLine } from './terminal.ts'

interface RepoOptions extends CommonOptions {
  readonly visibility?: 'public' | 'private'
  readonly description?: string
  readonly tag: string[]
}
interface CreateOptions extends RepoOptions {
  readonly kind: 'dataset' | 'model' | 'robot'
}
interface EditOptions extends RepoOptions {
  readonly clearTags?: boolean
}
interface SearchOptions extends CommonOptions {
  readonly kind?: string
  readonly owner?: string
  readonly tag: string[]
  readonly license?: string
  readonly limit: number
}
type SureOptions = CommonOptions & { readonly yes?: boolean }

const kinds = ['dataset', 'model', 'robot']
const visibilities = ['public', 'private']

/** Adds them to the `hub` program. */
export function registerRepoCommands(program: Command, io: AskingIo): void {
  const start = (options: CommonOptions, work: Work) =>
    runCommand(io, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, work)
  const repo = commandGroup(program, 'repo', 'Create, view, edit and delete repos')
  const about = (command: Command) =>
    command
      .addOption(new Option('--visibility <visibility>', 'who sees the repo').choices(visibilities))
      .option('--description <text>', "what it is; '' clears it")
      .option('--tag <tag>', 'tag; all of them replace those before (repeatable)', collect, [])

  about(common(repo.command('create <repo>').description('Create a repo (owner/slug)'), io))
    .addOption(new Option('--kind <kind>', 'what it holds').choices(kinds).makeOptionMandatory())
    .addHelpText(
      'after',
      hubExamples(
        'repo create ada/arm --kind robot',
        'repo create walnut/pick-place --kind dataset --visibility public --tag so100',
      ),
    )
    .action((name: string, { kind, visibility, description, tag, ...options }: CreateOptions) =>
      start(options, async (client) => {
        const { owner, slug } = repoName(name)
        return shownRepo(client, await client.newRepo({ kind, owner, slug, visibility, description, tags: tag }))
      }),
    )
  common(repo.command('view <repo>').description('Show a repo'), io)
    .addHelpText('after', hubExamples('repo view ada/arm', 'repo view ada/arm --json'))
    .action((name: string, options: CommonOptions) =>
      start(options, async (client) => {
        const repo = await client.getRepo(repoName(name))
        return shownRepo(client, repo, options.json ? null : await client.lineage(repoName(name)))
      }),
    )
  about(common(repo.command('edit <repo>').description('Change visibility, description or tags of a repo'), io))
    .option('--clear-tags', 'remove all tags')
    .addHelpText(
      'after',
      hubExamples(
        'repo edit ada/arm --visibility public',
        'repo edit ada/arm --tag so100 --tag arm',
        "repo edit ada/arm --description ''",
      ),
    )
    .action((name: string, options: EditOptions) =>
      start(options, async (client) => shownRepo(client, await client.updateRepo(repoName(name), changeOf(options)))),
    )
  common(repo.command('delete <repo>').description('Delete a repo with its files, for good'), io)
    .option('--yes', 'do not ask')
    .addHelpText('after', hubExamples('repo delete ada/arm', 'repo delete ada/arm --yes'))
    .action((name: string, { yes = false, ...options }: SureOptions) =>
      start(options, async (client) => {
        const { full_name: full, file_summary: files } = await client.getRepo(repoName(name))
        const loss = `This deletes ${full} and its ${countText(files.count, 'file')} (${sizeText(files.total_bytes)}), for good.`
        await confirmByName(io, full, loss, yes)
        const { owner, slug } = repoName(name)
        await client.v1.deleteRepo({ path: { owner, repo: slug } })
        return { json: { full_name: full, deleted: true }, text: `${inLine(`deleted ${full}`)}\n` }
      }),
    )

  common(repo.command('move <repo> <to>').description('Change the name or owner of a repo (owner/slug)'), io)
    .addHelpText('after', hubExamples('repo move ada/arm ada/arm-v2', 'repo move ada/arm walnut/arm'))
    .action((name: string, to: string, options: CommonOptions) =>
      start(options, async (client) => {
        const { owner, slug } = repoName(name)
        const target = repoName(to)
        const moved = await client.v1.moveRepo({ path: { owner, repo: slug }, body: target })
        return { json: moved, text: `${inLine(`moved ${name} to ${moved.full_name}`)}\n` }
      }),
    )
}

/** Adds `hub search` to the program. */
export function registerSearchCommand(program: Command, io: AskingIo): void {
  const start = (options: CommonOptions, work: Work) =>
    runCommand(io, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, work)
  common(program.command('search <text>').description('Search repos by name and description'), io)
    .addOption(new Option('--kind <kind>', 'only repos of this kind').choices(kinds))
    .option('--owner <handle>', 'only repos of this user or org')
    .option('--tag <tag>', 'only repos with this tag (repeatable; all must match)', collect, [])
    .option('--license <license>', 'only repos with this license in the header of README.md')
    .option('--limit <n>', 'maximum number of repos', wholeFrom(1), 20)
    .addHelpText('after', hubExamples('search gripper', 'search pick --kind dataset --tag so100 --json'))
    .action((text: string, { kind, owner, tag, license, limit, ...options }: SearchOptions) =>
      start(options, (client) => search(client, { q: text, kind, owner, tag, license }, limit)),
    )
}

function changeOf({ visibility, description, tag, clearTags }: EditOptions) {
  const change = {
    ...(visibility !== undefined && { visibility }),
    ...(description !== undefined && { description: description === '' ? null : description }),
    ...((clearTags || tag.length > 0) && { tags: clearTags ? [] : tag }),
  }
  if (Object.keys(change).length === 0)
    throw new UsageError('Say what to change: --visibility, --description, --tag or --clear-tags.')
  if (clearTags && tag.length > 0) throw new UsageError('Use either --tag or --clear-tags.')
  return change
}

async function search(
  client: HubClient,
  filters: Parameters<HubClient['repos']>[0],
  limit: number,
): Promise<CommandResult> {
  const found: RemoteRepo[] = []
  for await (const page of client.repos(filters)) {
    found.push(...page)
    if (found.length >= limit) break
  }
  const repos = found.slice(0, limit)
  const rows = repos.map(({ kind, full_name: name, description }) =>
    inLine(`${kind.padEnd(8)} ${name.padEnd(32)} ${description?.split('\n')[0] ?? ''}`.trimEnd()),
  )
  return { json: { repos }, text: `${rows.map((row) => `${row}\n`).join('')}${countText(repos.length, 'repo')}\n` }
}
