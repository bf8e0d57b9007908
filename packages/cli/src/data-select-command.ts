/** `hub data select`: episodes of a data set under a name, and how a trainer is given them. */
import { type HubClient, LocalError } from '@hub/client/internal'
import { selectionNameText } from '@hub/formats/dataset-ref'
import { readEpisodes } from '@hub/formats/episode-ranges'
import { type Command, Option } from 'commander'
import { type ClientIo, countText } from './client-output.ts'
import { type CommandResult, type CommonOptions, common, pathOf, runCommand } from './client-session.ts'
import { writeSelection } from './data-select-into.ts'
import { hubExamples } from './output.ts'
import { inLine } from './terminal.ts'

const help = `
OWNER/REPO with --name and one of --keep, --drop and --labels names episodes of the data set as it is now. A selection
is never changed, so what a run was given can be said later: name it in a run as svc://OWNER/REPO#NAME (hub track
--dataset, hub submit). The run pins the files that it is of; --snapshot keeps them also without a run.

OWNER/REPO#NAME prints the episodes of a selection for LeRobot's trainer: --dataset.episodes=[0,1,2]. --into writes them
into a folder that is new or empty, as a data set of their own in the same layout (LeRobot v2.0, v2.1, v3.0), numbered
from 0. Tables, lists and statistics are cut; tasks stay all. Videos go over as they are: one file of v3.0 has several
episodes, so pictures of others may be among them. Of other files those at the top and in meta/ are taken.
OWNER/REPO alone lists the selections.
${hubExamples(
  'data select ada/pick-cube --name clean --drop 3,7-9',
  'data select ada/pick-cube --name good --labels not-dropped',
  'data select ada/pick-cube#clean',
  'data select ada/pick-cube#clean --into ./pick-cube-clean',
)}`

interface SelectOptions extends CommonOptions {
  readonly name?: string
  readonly keep?: string
  readonly drop?: string
  readonly labels?: 'kept' | 'not-dropped' | 'successful'
  readonly note?: string
  readonly snapshot?: boolean
  readonly into?: string
}

/** Adds the command to `hub data`. */
export function registerSelectCommand(data: Command, program: Command, io: ClientIo): void {
  common(
    data
      .command('select <what>')
      .description('Name episodes of a data set, print those of a name, or write them as a data set'),
    io,
  )
    .option('--name <name>', 'name of a new selection')
    .option('--keep <episodes>', 'these episodes: 3,5-9')
    .option('--drop <episodes>', 'all but these')
    .addOption(new Option('--labels <which>', 'by their labels').choices(['kept', 'not-dropped', 'successful']))
    .option('--note <text>', 'note about it')
    .option('--into <folder>', 'write the episodes of OWNER/REPO#NAME into this folder, as a data set')
    .option('--snapshot', 'keep the files as they are now, in a snapshot of the same name')
    .addHelpText('after', help)
    .action((what: string, options: SelectOptions) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return runCommand(io, { ...options, json }, (client) => select(io, client, what, options))
    })
}

type Selection = Awaited<ReturnType<HubClient['v1']['listEpisodeSelections']>>['items'][number]

function select(io: ClientIo, client: HubClient, what: string, options: SelectOptions): Promise<CommandResult> {
  const [repo = '', named] = what.split('#')
  const path = pathOf(repo)
  const { name, keep, drop, labels } = options
  const isNew = [name, keep, drop, labels, options.note, options.snapshot].some((one) => one !== undefined)
  if (named !== undefined && isNew) throw new LocalError(`Leave out #${named}, or the options of a new selection.`)
  if (named === undefined && options.into !== undefined)
    throw new LocalError(
      `--into: name the selection too, as ${what}#NAME; hub data select ${what} lists those there are.`,
    )
  if (named !== undefined) return shown(io, client, { ...path, name: named, into: options.into })
  return isNew ? make(client, path, options) : list(client, path)
}

interface Path {
  readonly owner: string
  readonly repo: string
}

async function make(client: HubClient, path: Path, options: SelectOptions): Promise<CommandResult> {
  const { name, keep, drop, labels, note, snapshot } = options
  if (name === undefined) throw new LocalError('--name: a selection has a name; give one.')
  const fault = selectionNameText.safeParse(name).error?.issues[0]
  if (fault) throw new LocalError(`--name: ${fault.message}.`)
  if ([keep, drop, labels].filter((one) => one !== undefined).length !== 1)
    throw new LocalError('Give one of --keep, --drop and --labels.')
  const filter = labels === 'not-dropped' ? 'not_dropped' : labels
  const made = await client.v1.createEpisodeSelection({ path, body: { name, note, keep, drop, labels: filter } })
  const lines = [
    lineOf(made),
    `A run names it as svc://${path.owner}/${path.repo}#${made.name}, and pins change ${made.seq}.`,
  ]
  if (snapshot) {
    const kept = await client.v1
      .createSnapshot({ path, body: { name, at: String(made.seq), note } })
      .catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error)
        throw new LocalError(`The selection ${name} was made, a snapshot of its files was not: ${why}`)
      })
    lines.push(`The snapshot ${kept.name} keeps the files.`)
  }
  return { json: made, text: textOf(lines) }
}

async function shown(
  io: ClientIo,
  client: HubClient,
  { owner, repo, name, into }: Path & { readonly name: string; readonly into: string | undefined },
): Promise<CommandResult> {
  const { items } = await client.v1.listEpisodeSelections({ path: { owner, repo }, query: { name } })
  const [found] = items
  if (!found)
    throw new LocalError(
      `${owner}/${repo} has no selection ${name}; hub data select ${owner}/${repo} lists those there are.`,
    )
  const episodes = readEpisodes(found.episodes)
  if ('fault' in episodes) throw new LocalError(`${name}: ${episodes.fault}`)
  const { seq, fingerprint } = found
  if (into !== undefined) return writeSelection(io, client, { owner, repo, name, seq, fingerprint, episodes }, into)
  return { json: { ...found, list: episodes }, text: `--dataset.episodes=[${episodes.join(',')}]\n` }
}

async function list(client: HubClient, path: Path): Promise<CommandResult> {
  const all: Selection[] = []
  for (let cursor: string | undefined; ; ) {
    const { items, next_cursor } = await client.v1.listEpisodeSelections({ path, query: { limit: 100, cursor } })
    all.push(...items)
    if (next_cursor === null) break
    cursor = next_cursor
  }
  const lines = all.length === 0 ? [`${path.owner}/${path.repo} has no selection of episodes.`] : all.map(lineOf)
  return { json: { selections: all }, text: textOf(lines) }
}

const lineOf = ({ name, count, total, seq, fingerprint, episodes }: Selection) =>
  `${name}: ${count} of ${countText(total, 'episode')} at change ${seq}, ` +
  `${fingerprint.slice(0, 12)}: ${short(episodes)}`

const MOST_SHOWN = 80
const short = (text: string) => (text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}…`)

const textOf = (lines: readonly string[]) => lines.map((line) => `${inLine(line)}\n`).join('')
