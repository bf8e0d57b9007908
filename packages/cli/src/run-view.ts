/** `hub run RUN`: one run with its settings, its curves and what its metrics come to; with `--watch` until it ends. */
import type { HubClient, RemoteRun, RemoteSummary } from '@hub/client/internal'
import { chartLines } from './braille-chart.ts'
import { type ClientIo, exitCode } from './client-output.ts'
import { environmentLines } from './environment-lines.ts'
import { isMinor, noMetric, pointsOf, readMetrics } from './metric-points.ts'
import type { AskingIo } from './prompt.ts'
import { runLines, shareText, shortNumber, summaryLines } from './run-output.ts'
import { readSettings, type Settings } from './run-settings.ts'
import { painted, type Screen, screenOf } from './screen.ts'
import { inLine, print, printColored, printJson } from './terminal.ts'
import { watch } from './watching.ts'

export interface ViewOptions {
  readonly json?: boolean
  /** Keys, separated by commas; false: no chart. Without: the main metrics on a terminal, none elsewhere. */
  readonly plot?: string | false
  readonly log?: boolean
  readonly watch?: boolean
}

interface RunView {
  readonly run: RemoteRun
  readonly summary: readonly RemoteSummary[]
  readonly environment: Readonly<Record<string, unknown>> | null
  readonly settings: Settings
  /** Of the plotted keys, as the hub answered. */
  readonly series: readonly { readonly key: string; readonly points: unknown }[]
}

/** Curves that are drawn without being asked for. */
const MAIN_METRICS = 2
/** Settings that are listed; `--json` has all. */
const LISTED_SETTINGS = 20
/** Lines of a curve: alone, with others, and in a small window. */
const [TALL, LOW, LEAST] = [14, 8, 4]
/** A wider curve reads worse. */
const WIDEST = 140

/** Shows the run and returns the exit code. */
export async function showRunView(io: AskingIo, client: HubClient, id: string, options: ViewOptions): Promise<number> {
  const read = () => readView(io, client, id, options)
  if (options.watch) return watchRun(io, read, options)
  const view = await read()
  if (options.json) printJson(io.stdout, viewJson(view, options))
  else printColored(io.stdout, viewText(view, screenOf(io), options))
  return exitCode.ok
}

async function watchRun(io: AskingIo, read: () => Promise<RunView>, options: ViewOptions): Promise<number> {
  const ended = await watch<RunView>(io, {
    read,
    draw: (view, screen) => viewText(view, screen, options),
    printChange(now, before) {
      const line = options.json ? steadyText(now) : stepLine(now)
      if (before !== null && line === (options.json ? steadyText(before) : stepLine(before))) return
      if (options.json) printJson(io.stdout, viewJson(now, options))
      else print(io.stdout, line)
    },
    isOver: ({ run }) => !['queued', 'running'].includes(run.status),
  })
  if (typeof ended === 'number') return ended
  const { status } = ended.last.run
  if (!options.json) print(io.stderr, `hub: the run has ended: ${inLine(status)}\n`)
  return status === 'succeeded' ? exitCode.ok : exitCode.failed
}

async function readView(io: ClientIo, client: HubClient, id: string, options: ViewOptions): Promise<RunView> {
  const run = await client.runs.get(id)
  const [summary, environment, settings] = await Promise.all([
    client.runs.summary(id),
    client.runs.environment(id),
    readSettings(client, run),
  ])
  const keys = plottedKeys(run, summary, screenOf(io), options)
  const missing = keys.filter((key) => !summary.some((one) => one.key === key))
  if (missing.length > 0 && !options.watch)
    throw noMetric(
      id,
      missing,
      summary.map(({ key }) => key),
    )
  const there = keys.filter((key) => !missing.includes(key))
  // Two dots a character, and the least and the greatest value of each.
  const most = 4 * Math.min(WIDEST, screenOf(io).width)
  const { series } = there.length > 0 ? await readMetrics(client, id, there, most) : { series: [] }
  return { run, summary, environment, settings, series: keys.map((key) => seriesOf(series, key)) }
}

const seriesOf = (series: RunView['series'], key: string) =>
  series.find((one) => one.key === key) ?? { key, points: [] }

/** Those that are asked for; else the main ones, on a terminal. */
function plottedKeys(
  run: RemoteRun,
  summary: readonly RemoteSummary[],
  { isTerminal }: Screen,
  { plot, json }: ViewOptions,
): string[] {
  if (plot === false) return []
  if (plot !== undefined) return [...new Set(plot.split(',').flatMap((key) => (key.trim() === '' ? [] : [key.trim()])))]
  return isTerminal && !json ? mainMetrics(run, summary) : []
}

/**
 * The metric of the run's own curve, then those whose name says which values are better; never those of the machine.
 */
export function mainMetrics(run: Pick<RemoteRun, 'sparkline'>, summary: readonly RemoteSummary[]): string[] {
  const own = summary.flatMap(({ key }) => (isMinor(key) ? [] : [key]))
  const judged = summary.filter(({ best }) => best !== null).map(({ key }) => key)
  const first = run.sparkline?.metric
  const main = [...(first === undefined ? [] : [first]), ...judged].filter((key) => own.includes(key))
  return [...new Set(main.length > 0 ? main : own.slice(0, 1))].slice(0, MAIN_METRICS)
}

const viewJson = ({ run, summary, environment, settings, series }: RunView, { plot }: ViewOptions) => ({
  ...run,
  summary,
  environment,
  settings: Object.fromEntries(settings),
  ...(typeof plot === 'string' && { series }),
})

/** The whole view. */
function viewText(view: RunView, screen: Screen, options: ViewOptions): string {
  const { run, summary, environment, settings, series } = view
  const { log = false } = options
  const facts = runLines(run)
  const width = Math.min(WIDEST, screen.width)
  // What is drawn in place has to fit: 4 lines are of each chart's title and steps, 3 of the footer.
  const room = (screen.height - 3 - facts.split('\n').length) / Math.max(1, series.length) - 4
  const height = Math.min(series.length > 1 ? LOW : TALL, options.watch ? Math.max(LEAST, room) : TALL)
  const charts = series.map(({ key, points }) => {
    const title = `${painted(screen, 'bold', inLine(key))}${factsOf(summary, key)}${log ? ', logarithmic' : ''}`
    const paint = (dots: string) => painted(screen, 'cyan', dots)
    return `\n${[title, ...chartLines(pointsOf(points), { width, height, isLog: log, paint })].join('\n')}\n`
  })
  return [facts, ...charts, summaryLines(summary), settingLines(settings), madeWith(environment)].join('')
}

const madeWith = (environment: RunView['environment']) => {
  const lines = environmentLines(environment)
  return lines === '' ? '' : `\n${lines}`
}

function factsOf(summary: readonly RemoteSummary[], key: string): string {
  const found = summary.find((one) => one.key === key)
  if (!found) return ''
  const { last, min, max } = found
  return `  latest ${shortNumber(last)}, min ${shortNumber(min)}, max ${shortNumber(max)}`
}

function settingLines(settings: Settings): string {
  if (settings.size === 0) return ''
  const listed = [...settings].slice(0, LISTED_SETTINGS)
  const width = Math.max(...listed.map(([path]) => inLine(path).length))
  const lines = listed.map(([path, value]) => `  ${inLine(path).padEnd(width)}  ${inLine(value)}\n`)
  const left = settings.size - listed.length
  return `\nsettings\n${lines.join('')}${left > 0 ? `  ${left} more settings: --json has them all.\n` : ''}`
}

/** One line of how far it is, for output that is not a terminal. */
function stepLine({ run, summary, series }: RunView): string {
  const { iteration = null, fraction = null } = run.progress ?? {}
  const keys = series.length > 0 ? series.map(({ key }) => key) : mainMetrics(run, summary)
  const values = summary.flatMap(({ key, last }) => (keys.includes(key) ? [`${key} ${shortNumber(last)}`] : []))
  const step = iteration === null ? [] : [`step ${iteration}${shareText(fraction)}`]
  return `${inLine([run.status, ...step, ...values].join('  '))}\n`
}

/** Without what passes with the time alone. */
const steadyText = ({ run, ...rest }: RunView) =>
  JSON.stringify({
    ...rest,
    settings: [...rest.settings],
    run: { ...run, spend: null, progress: run.progress?.iteration },
  })
