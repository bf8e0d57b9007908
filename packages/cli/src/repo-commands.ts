/** `hub repo`: create, view, edit, delete; `hub rm` and `hub search`. */

import { BATCH, type HubClient, type RemoteRepo, type RepoName } from '@hub/client/internal'
import { type Command, Option } from 'commander'
import picomatch from 'picomatch'
import { countText, exitCode, sizeText } from './client-output.ts'
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
import { type AskingIo, ask, canAsk, confirmByName } from './prompt.ts'
import { shownRepo } from './shown-repo.ts'
import { inLine, print } from './terminal.ts'

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
type MoveFileOptions = CommonOptions & { readonly message?: string }
type RemoveOptions = SureOptions & { readonly dryRun?: boolean; readonly message?: string }

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

  common(
    program
      .command('mv <repo> <from> <to>')
      .description('Change the path of a file or folder of a repo, as one change'),
    io,
  )
    .option('-m, --message <text>', 'what to remember about the change; see hub log')
    .addHelpText('after', hubExamples('mv ada/arm old.stl meshes/new.stl', 'mv ada/arm meshes/ assets/'))
    .action((name: string, from: string, to: string, { message, ...options }: MoveFileOptions) =>
      start(options, (client) => copyFiles(client, repoName(name), { from, to, message, isMove: true })),
    )
  common(program.command('cp <repo> <from> <to>').description('Copy a file or folder within a repo, as one change'), io)
    .option('-m, --message <text>', 'what to remember about the change; see hub log')
    .addHelpText('after', hubExamples('cp ada/arm arm.xml arm-v2.xml', 'cp ada/arm meshes/ old-meshes/'))
    .action((name: string, from: string, to: string, { message, ...options }: MoveFileOptions) =>
      start(options, (client) => copyFiles(client, repoName(name), { from, to, message, isMove: false })),
    )

  common(program.command('rm <repo> <path...>').description('Delete files of a repo; a path may be a glob'), io)
    .option('--yes', 'do not ask')
    .option('--dry-run', 'only print what would be deleted')
    .option('-m, --message <text>', 'what to remember about the change; see hub log')
    .addHelpText(
      'after',
      hubExamples('rm ada/arm old.stl', "rm ada/arm 'meshes/**' --dry-run", "rm ada/arm '*.tmp' --yes"),
    )
    .action((name: string, paths: string[], options: RemoveOptions) =>
      start(options, (client) => removeFiles({ io, client, repo: repoName(name), patterns: paths, options })),
    )

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

async function removeFiles({
  io,
  client,
  repo,
  patterns,
  options: { yes = false, dryRun = false, message },
}: {
  readonly io: AskingIo
  readonly client: HubClient
  readonly repo: RepoName
  readonly patterns: readonly string[]
  readonly options: RemoveOptions
}): Promise<CommandResult> {
  const { paths, unmatched } = await matching(client, repo, patterns)
  const full = `${repo.owner}/${repo.slug}`
  for (const pattern of unmatched) print(io.stderr, `hub: ${inLine(`${full} has no file ${pattern}`)}\n`)
  const rows = paths.map((path) => `${inLine(`${dryRun ? 'would delete' : 'deleted'}  ${path}`)}\n`).join('')
  const code = unmatched.length > 0 ? exitCode.notFound : exitCode.ok
  const json = { repo: full, dry_run: dryRun, deleted: paths, missing: unmatched }
  if (dryRun || paths.length === 0) return { json, text: rows, code }
  await confirmFiles(io, full, paths, yes)
  for (let at = 0; at < paths.length; at += BATCH)
    await client.deleteFiles(repo, paths.slice(at, at + BATCH), { message })
  return { json, text: rows, code }
}

interface FileCopy {
  readonly from: string
  readonly to: string
  readonly message: string | undefined
  /** Whether what is copied goes, in the same change. */
  readonly isMove: boolean
}

/** A folder ends with `/`, as its new name does. */
async function copyFiles(
  client: HubClient,
  repo: RepoName,
  { from, to, message, isMove }: FileCopy,
): Promise<CommandResult> {
  if (from.endsWith('/') !== to.endsWith('/'))
    throw new UsageError('A folder ends with / in both places, a file in neither.')
  const paths: string[] = []
  for await (const page of client.tree(repo, from))
    paths.push(...page.flatMap(({ path }) => (from.endsWith('/') || path === from ? path : [])))
  const there = paths.map((path) => ({ from: path, path: `${to}${path.slice(from.length)}` }))
  // What is not there is named by the hub's error.
  const copy = there.length > 0 ? there : [{ from: from.replace(/\/$/, ''), path: to.replace(/\/$/, '') }]
  const { owner, slug } = repo
  const done = await client.v1.commitFiles({
    path: { owner, repo: slug },
    body: {
      message: message ?? `${isMove ? 'Rename' : 'Copy'} ${from} to ${to}`,
      copy,
      ...(isMove && { delete: copy.map((one) => one.from) }),
    },
  })
  const did = `${isMove ? 'renamed' : 'copied'} ${countText(paths.length, 'file')} of ${owner}/${slug}`
  return { json: done, text: `${inLine(did)}\n` }
}

/**
 * The paths of the repo that a pattern names, and the patterns that name none. A path that exists as it is written is
 * no glob.
 */
async function matching(client: HubClient, repo: RepoName, patterns: readonly string[]) {
  const all: string[] = []
  for await (const page of client.tree(repo)) all.push(...page.map(({ path }) => path))
  const known = new Set(all)
  const found = new Set<string>()
  const unmatched: string[] = []
  for (const pattern of patterns) {
    const isMatch = picomatch(pattern, { dot: true })
    const named = known.has(pattern) ? [pattern] : all.filter((path) => isMatch(path))
    if (named.length === 0) unmatched.push(pattern)
    for (const path of named) found.add(path)
  }
  return { paths: [...found], unmatched }
}

async function confirmFiles(io: AskingIo, repo: string, paths: readonly string[], yes: boolean): Promise<void> {
  if (yes) return
  const what = `${countText(paths.length, 'file')} of ${repo}`
  if (!canAsk(io)) throw new UsageError(`This deletes ${what}. Add --yes to do it without a question.`)
  for (const path of paths.slice(0, 20)) print(io.stderr, `  ${inLine(path)}\n`)
  if (paths.length > 20) print(io.stderr, `  and ${paths.length - 20} more\n`)
  const answer = await ask(io, `Delete ${inLine(what)}? [y/N] `)
  if (!/^y(es)?$/i.test(answer)) throw new UsageError('Nothing was deleted.')
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
