/** `hub runs media`: what a run logged beside numbers, and its files. */
import { resolve } from 'node:path'
import { type HubClient, LocalError, type MediaFilters, type PullSource, type RemoteMedia } from '@hub/client/internal'
import { writeExact } from '@hub/formats/exact-json'
import { type Command, Option } from 'commander'
import { countText, sizeText } from './client-output.ts'
import { type CommandResult, type CommonOptions, common, repoName, runCommand } from './client-session.ts'
import type { ClientSettings } from './client-settings.ts'
import { hubExamples } from './output.ts'
import type { AskingIo } from './prompt.ts'
import { inLine } from './terminal.ts'
import { pull } from './transfer-commands.ts'

const kinds = ['image', 'video', 'audio', 'table', 'histogram', 'html', 'text', 'file'] as const

/** Characters of a value or caption in a line; `--json` has all of it. */
const SHOWN = 60

interface MediaOptions extends CommonOptions {
  readonly key?: string
  readonly kind?: (typeof kinds)[number]
  readonly download?: string
}

const mediaHelp = `
--download writes the files below DIR at the paths that they have in the output repo of the run. Values without a file
are in --json.
${hubExamples('runs media run_01k0…', 'runs media run_01k0… --key samples --download ./samples')}`

/** Adds it to `hub runs`. */
export function registerMediaCommand(runs: Command, io: AskingIo): void {
  common(runs.command('media <run>').description('List pictures, tables and other media of a run'), io)
    .option('--key <key>', 'only what was logged under this key')
    // `hub runs` has an option of this name, for another thing.
    .addOption(new Option('--kind <kind>', 'only this kind').choices(kinds))
    .option('--download <dir>', 'download the files into this folder')
    .addHelpText('after', mediaHelp)
    .action((run: string, options: MediaOptions, command: Command) =>
      runCommand(io, { ...command.optsWithGlobals<CommonOptions>() }, (client, settings) =>
        media(io, { client, settings }, run, options),
      ),
    )
}

interface Session {
  readonly client: HubClient
  readonly settings: ClientSettings
}

async function media(
  io: AskingIo,
  { client, settings }: Session,
  run: string,
  { key, kind, download }: MediaOptions,
): Promise<CommandResult> {
  const listed = await entriesOf(client, run, { key, kind })
  if (download === undefined) {
    return { json: { media: listed }, text: `${listed.map(row).join('')}${countText(listed.length, 'item')}\n` }
  }
  const paths = new Set(listed.flatMap(({ path, url }) => (path !== null && url !== null ? [path] : [])))
  if (paths.size === 0)
    throw new LocalError(`${run} has no such media with a file that you can read; see hub runs media ${run}.`)
  const repo = (await client.runs.get(run)).output_model_repo?.full_name
  if (repo === undefined) throw new LocalError(`You do not see the output repo of ${run}, in which its files are.`)
  const name = repoName(repo)
  return pull({
    io,
    client,
    settings,
    repo: name,
    dir: resolve(io.cwd, download),
    options: { include: [], exclude: [] },
    source: filesNamed(client, name, paths),
  })
}

async function entriesOf(client: HubClient, run: string, filters: MediaFilters): Promise<RemoteMedia[]> {
  const found: RemoteMedia[] = []
  for await (const page of client.runs.media(run, filters)) found.push(...page)
  return found
}

/** The files of a repo with these paths, found in the folder that has all of them. */
function filesNamed(client: HubClient, repo: ReturnType<typeof repoName>, paths: ReadonlySet<string>): PullSource {
  const [first = '', ...others] = paths
  let length = first.length
  for (const path of others) while (!path.startsWith(first.slice(0, length))) length -= 1
  return {
    async *files() {
      for await (const page of client.tree(repo, first.slice(0, length)))
        yield page.filter(({ path }) => paths.has(path))
    },
    targets: (asked) => client.presignDownload(repo, asked),
  }
}

function row({ key, step, index, kind, path, value, caption, size }: RemoteMedia): string {
  const at = `${step}${index === 0 ? '' : `#${index}`}`
  const what = path === null ? writeExact(value) : `${path}${size === null ? '' : ` (${sizeText(size)})`}`
  const said = caption === null || caption === '' ? '' : `  ${cut(caption)}`
  return `${inLine(key)}  ${at}  ${kind}  ${path === null ? cut(what) : inLine(what)}${said}\n`
}

function cut(text: string): string {
  const line = inLine(text)
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN - 1)}…`
}
