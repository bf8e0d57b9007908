/** `hub import`: moves a repo over from Hugging Face, from another hub that speaks as it does, or from a local cache. */
import { resolve } from 'node:path'
import {
  cacheSource,
  DEFAULT_JOBS,
  endpointSource,
  type HubClient,
  type ImportReport,
  type ImportTarget,
  importRepo,
  parseSource,
  type SourceName,
  targetOf,
} from '@hub/client/internal'
import { slugOfName } from '@hub/formats/text-rules'
import { type Command, Option } from 'commander'
import { type ClientIo, countText, sizeText } from './client-output.ts'
import { type CommandResult, type CommonOptions, common, repoName, type Start, wholeFrom } from './client-session.ts'
import type { ClientSettings } from './client-settings.ts'
import { NotLoggedIn } from './command-errors.ts'
import { hubCache, sourceSettings } from './hf-settings.ts'
import { inV1Names } from './output.ts'
import { inLine } from './terminal.ts'
import { progressOn } from './transfer-progress.ts'

interface ImportOptions extends CommonOptions {
  readonly from?: string
  readonly store?: string
  /** Without a folder `true`. */
  readonly cache?: string | true
  readonly tags?: boolean
  readonly delete?: boolean
  readonly public?: boolean
  readonly jobs?: number
}

const help = `
What is imported: the files of one revision (main, or what follows @: a branch, a tag or a commit id), as one change
with the message that the revision has, under the name that the repo has there. --tags imports each tagged state before
it, the oldest first, and makes a snapshot of it; the repo is made each of these states in turn, as with --delete.
A missing repo is made, private unless --public. A second import brings what is new; --delete also deletes what the
source does not have. After an interruption run it again: what was brought and checked is not fetched again.
Files are kept in the transfer cache until all are there and have the digests that the source lists: that takes as much
space on this disk as the repo has new bytes.

Where from: https://huggingface.co, or HF_ENDPOINT, or --from, or with --cache the cache of huggingface_hub on this
machine (HF_HUB_CACHE, or HF_HOME/hub), which has what was downloaded. An HF_ENDPOINT that is this hub is not asked.
HF_TOKEN, or for huggingface.co what "hf auth login" stored, is sent to that host alone, not where it redirects to.
Only public addresses over HTTPS are asked, but for one that HF_ENDPOINT or --from names; --store names a second one,
where that source keeps its files.

Examples:
  $ hub import hf://datasets/lerobot/pusht               as lerobot/pusht, where you are in an org lerobot
  $ hub import hf://datasets/lerobot/pusht lab/pusht --tags
  $ hub import hf://lab/act@v1.0 --public
  $ hub import hf://datasets/lab/pick --cache            from what this machine has downloaded
  $ hub import hf://lab/act --from https://hub.other-lab.org`

/** Adds the command; `start` runs its work. */
export function registerImportCommand(program: Command, io: ClientIo, start: Start): void {
  common(
    program
      .command('import <source> [repo]')
      .description('Copy a repo of Hugging Face (hf://OWNER/NAME, hf://datasets/OWNER/NAME) to the hub'),
    io,
  )
    .option('--from <url>', 'hub of the source (default: HF_ENDPOINT, else https://huggingface.co)')
    .option('--store <url>', 'where that hub keeps its files, if it is not a public address')
    .addOption(new Option('--cache [dir]', 'from the local cache of huggingface_hub').conflicts(['from', 'tags']))
    .option('--tags', 'also the tagged versions, as snapshots')
    .option('--delete', 'delete files of the repo that the source does not have')
    .option('--public', 'create a missing repo as public (default: private)')
    .option('--jobs <n>', 'files, or ranges of large files, fetched at once (default: 4)', wholeFrom(1, 64))
    .addHelpText('after', help)
    .action((source: string, repo: string | undefined, options: ImportOptions) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return start({ ...options, json }, (client, settings) =>
        runImport({ io, client, settings, options: { ...options, json }, name: parseSource(source), repo }),
      )
    })
}

async function runImport({
  io,
  client,
  settings,
  options,
  name,
  repo,
}: {
  readonly io: ClientIo
  readonly client: HubClient
  readonly settings: ClientSettings
  readonly options: ImportOptions
  readonly name: SourceName
  readonly repo: string | undefined
}): Promise<CommandResult> {
  if (settings.token === null) throw new NotLoggedIn(settings.url)
  const startedMs = performance.now()
  const report = await importRepo(client, {
    name,
    source: await sourceOf({ io, client, settings, options, name }),
    target: repo === undefined ? targetOf(name) : namedTarget(repo),
    cacheDir: settings.cacheDir,
    visibility: options.public ? 'public' : 'private',
    deleteExtra: (options.delete || options.tags) ?? false,
    jobs: options.jobs ?? DEFAULT_JOBS,
    progress: progressOn(io.stderr, { plan: !options.json }),
  })
  return { json: inV1Names(report), text: textOf(report, name, performance.now() - startedMs) }
}

async function sourceOf({
  io: { env, cwd },
  client: { signal, retry },
  settings,
  options: { cache, tags = false, store, from },
  name,
}: Pick<Parameters<typeof runImport>[0], 'io' | 'client' | 'settings' | 'options' | 'name'>) {
  if (cache !== undefined)
    return cacheSource({ name, cache: resolve(cwd, cache === true ? hubCache(env) : cache), signal })
  const { url, token: ownToken } = settings
  const where = await sourceSettings(env, { url, ownToken, ...(from !== undefined && { from }) })
  return endpointSource({ name, store: store ?? null, tags, signal, retry, ...where })
}

/** The name may be written as clients of Hugging Face have it. */
function namedTarget(text: string): ImportTarget {
  const { owner, slug: hfName } = repoName(text)
  return { owner, slug: slugOfName(hfName), hfName }
}

function textOf(report: ImportReport, { type }: SourceName, ms: number): string {
  const { repo, commit, files, fetched, fetchedBytes, deleted, tags } = report
  let text = report.created ? `created ${repo} (${type})\n` : ''
  for (const path of report.leftOut) text += `left out, no push sends it: ${inLine(path)}\n`
  for (const { tag, why } of report.refusedTags) text += `no snapshot ${inLine(`${tag}: ${why}`)}\n`
  text += `${repo}: ${countText(files, 'file')} of ${report.source} at ${commit.slice(0, 12)}, fetched ${fetched} (${sizeText(fetchedBytes)})`
  if (deleted.length > 0) text += `, deleted ${deleted.length}`
  if (tags.length > 0) text += `, ${countText(tags.length, 'snapshot')}`
  return `${text}, in ${(ms / 1000).toFixed(1)} s\n`
}
