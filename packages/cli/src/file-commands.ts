/** `hub mv`, `hub cp` and `hub rm`: files of a repo, without a copy of them here. */

import { BATCH, type HubClient, type RepoName } from '@hub/client/internal'
import type { Command } from 'commander'
import picomatch from 'picomatch'
import { countText, exitCode } from './client-output.ts'
import {
  type CommandResult,
  type CommonOptions,
  common,
  repoName,
  runCommand,
  UsageError,
  type Work,
} from './client-session.ts'
import { hubExamples } from './output.ts'
import { type AskingIo, ask, canAsk } from './prompt.ts'
import { inLine, print } from './terminal.ts'

type MoveFileOptions = CommonOptions & { readonly message?: string }
type RemoveOptions = CommonOptions & { readonly yes?: boolean; readonly dryRun?: boolean; readonly message?: string }

/** Adds them to the `hub` program. */
export function registerFileCommands(program: Command, io: AskingIo): void {
  const start = (options: CommonOptions, work: Work) =>
    runCommand(io, { ...options, json: options.json ?? program.opts<CommonOptions>().json }, work)

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
