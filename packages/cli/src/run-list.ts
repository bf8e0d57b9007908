/** `hub runs`: the list of runs, with columns of their metrics and settings; with `--watch` again and again. */
import type { HubClient, RemoteRun, RunFilters } from '@hub/client/internal'
import { type Command, Option } from 'commander'
import { countText, exitCode } from './client-output.ts'
import { type CommonOptions, collect, UsageError, wholeFrom } from './client-session.ts'
import type { AskingIo } from './prompt.ts'
import { type Cells, cellText, columnReader, metricValues, parseColumns } from './run-columns.ts'
import { runRow, shareText, shortNumber, table } from './run-output.ts'
import { screenOf } from './screen.ts'
import { inLine, print, printJson } from './terminal.ts'
import { type Pace, type Watched, watch } from './watching.ts'

/** Options with the name of their filter. */
const runFilters = [
  'status',
  'executor',
  'owner',
  'kind',
  'robot',
  'template',
  'project',
  'group',
] as const satisfies (keyof RunFilters)[]

export interface ListOptions extends CommonOptions, Readonly<Partial<Record<(typeof runFilters)[number], string>>> {
  readonly query?: string
  readonly tag: string[]
  readonly parent?: string
  readonly gated?: boolean
  readonly sort?: string
  readonly by: (typeof metricValues)[number]
  readonly order?: 'asc' | 'desc'
  readonly limit: number
  readonly columns?: string
  readonly watch?: boolean
}

const filterTexts: Readonly<
  Record<(typeof runFilters)[number], readonly [about: string, choices?: readonly string[]]>
> = {
  status: ['only runs with this status', ['queued', 'running', 'succeeded', 'failed', 'canceled']],
  executor: ['only runs with this executor', ['worker', 'hosted']],
  owner: ['only runs of this user or org'],
  kind: ['only runs of this kind', ['cloud', 'external']],
  robot: ['only runs for this robot'],
  template: ['only runs of this template'],
  project: ['only runs of this project'],
  group: ['only runs of this group'],
}

/** Adds the options of the list to a command. */
export function listOptions(command: Command): Command {
  for (const name of runFilters) {
    const [about, choices] = filterTexts[name]
    const option = new Option(`--${name} <value>`, about)
    command.addOption(choices ? option.choices(choices) : option)
  }
  return command
    .option('-q, --query <text>', 'only runs with this text in their name')
    .option('--tag <tag>', 'only runs with this tag (repeatable)', collect, [])
    .option('--parent <run>', 'only runs that continue this one')
    .option('--gated', 'only runs with a scorecard')
    .option('--no-gated', 'only runs without a scorecard')
    .option('--sort <metric>', 'sort by this metric, the better values first; only runs that have it')
    .addOption(new Option('--by <value>', 'which value of the metric').choices(metricValues).default('last'))
    .addOption(new Option('--order <order>', 'lowest or highest value first').choices(['asc', 'desc']))
    .option('--limit <n>', 'maximum number of runs', wholeFrom(1), 20)
    .option('--columns <names>', 'metrics (loss, loss:best) and settings (config.lr) to show')
}

interface Listing {
  readonly runs: readonly RemoteRun[]
  readonly cells: ReadonlyMap<string, Cells>
}

/** Lists the runs and returns the exit code. */
export async function showRunList(io: AskingIo, client: HubClient, options: ListOptions, pace?: Pace): Promise<number> {
  const columns = options.columns === undefined ? [] : parseColumns(options.columns)
  const heads = columns.map(({ head }) => head)
  const readCells = columnReader(client, columns)
  const filters = filtersOf(options)
  const read = async (): Promise<Listing> => {
    const runs = await readRuns(client, filters, options.limit)
    return { runs, cells: columns.length > 0 ? await readCells(runs) : new Map() }
  }
  if (options.watch) {
    const ended = await watch(io, watchedList(io, read, heads, options.json ?? false), pace)
    return typeof ended === 'number' ? ended : exitCode.ok
  }
  const listing = await read()
  if (options.json) printJson(io.stdout, { runs: listing.runs.map((run) => withCells(run, listing)) })
  else print(io.stdout, listText(listing, heads, widthOf(io)))
  const { runs, cells } = listing
  const empty = heads.filter((head) => runs.length > 0 && runs.every(({ id }) => cells.get(id)?.[head] == null))
  if (empty.length > 0) print(io.stderr, `hub: no listed run has ${inLine(empty.join(', '))}\n`)
  return exitCode.ok
}

function watchedList(
  io: AskingIo,
  read: () => Promise<Listing>,
  heads: readonly string[],
  json: boolean,
): Watched<Listing> {
  const steady = (run: RemoteRun, listing: Listing) =>
    JSON.stringify({ ...withCells(run, listing), spend: null, progress: run.progress?.iteration })
  const textOf = (run: RemoteRun, listing: Listing) => (json ? steady(run, listing) : rowText(run, listing, heads))
  return {
    read,
    draw: (now, { width }) => listText(now, heads, width),
    printChange(now, before) {
      const known = new Map(before?.runs.map((run) => [run.id, textOf(run, before)]))
      for (const run of now.runs) {
        if (known.get(run.id) === textOf(run, now)) continue
        if (json) printJson(io.stdout, withCells(run, now))
        else print(io.stdout, rowText(run, now, heads))
      }
    },
    isOver: () => false,
  }
}

function filtersOf(options: ListOptions): RunFilters {
  const filters: { [Name in (typeof runFilters)[number]]?: RunFilters[Name] } = {}
  for (const name of runFilters) {
    const value = options[name]
    if (typeof value === 'string') filters[name] = value
  }
  const { query, tag, parent, gated, sort, by, order } = options
  if (sort === undefined && order !== undefined) throw new UsageError('--order needs --sort METRIC.')
  const sorting = sort === undefined ? {} : { sort_metric: sort, sort_by: by, order }
  const only = gated === undefined ? {} : { gated: gated ? ('true' as const) : ('false' as const) }
  return { ...filters, ...only, q: query, tag, parent_run_id: parent, ...sorting }
}

async function readRuns(client: HubClient, filters: RunFilters, limit: number): Promise<RemoteRun[]> {
  const runs: RemoteRun[] = []
  for await (const page of client.runs.list(filters, Math.min(100, limit))) {
    runs.push(...page)
    if (runs.length >= limit) break
  }
  return runs.slice(0, limit)
}

const withCells = (run: RemoteRun, { cells }: Listing) => {
  const own = cells.get(run.id)
  return own === undefined ? run : { ...run, columns: own }
}

const widthOf = (io: AskingIo) => (screenOf(io).isTerminal ? screenOf(io).width : Number.POSITIVE_INFINITY)

/** With columns as a table with a heading; else a line with the curve of each run. */
function listText(listing: Listing, heads: readonly string[], width: number): string {
  const count = `${countText(listing.runs.length, 'run')}\n`
  if (heads.length === 0) return `${listing.runs.map(runRow).join('')}${count}`
  const isSorted = listing.runs.some(({ sort_value: value }) => value !== null)
  const head = [
    `${'run'.padEnd(ID_WIDTH)}  ${'status'.padEnd(9)}`,
    'done',
    ...(isSorted ? ['sorted by'] : []),
    ...heads,
  ]
  const rows = listing.runs.map((run) => {
    const sorted = isSorted ? [cellText(run.sort_value)] : []
    const cells = heads.map((name) => cut(inLine(cellText(listing.cells.get(run.id)?.[name])), MOST_OF_CELL))
    return [`${run.id.padEnd(ID_WIDTH)}  ${run.status.padEnd(9)}`, doneText(run), ...sorted, ...cells]
  })
  const names = ['name', ...listing.runs.map((run) => inLine(run.display_name))]
  const lines = table([head.map((cell) => inLine(cell)), ...rows]).map((line, at) => `${line}  ${names[at]}`)
  return `${lines.map((line) => `${cut(line.trimEnd(), width)}\n`).join('')}${count}`
}

/** One run without a table around it. */
function rowText(run: RemoteRun, { cells }: Listing, heads: readonly string[]): string {
  if (heads.length === 0) return runRow(run)
  const values = heads.map((head) => `${head} ${cellText(cells.get(run.id)?.[head])}`)
  const sorted = run.sort_value === null ? [] : [shortNumber(run.sort_value)]
  return `${inLine([run.id, run.status.padEnd(9), doneText(run), ...sorted, ...values, run.display_name].join('  '))}\n`
}

/** `run_` and 26 characters. */
const ID_WIDTH = 30
const MOST_OF_CELL = 24

const doneText = ({ progress }: RemoteRun) => shareText(progress?.fraction ?? null).replace(/[ ()]/g, '')

const cut = (text: string, width: number) => (text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text)
