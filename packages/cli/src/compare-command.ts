/** `hub compare` and `hub runs metrics`: what runs came to, beside each other, and the curve of any metric. */
import type { HubClient } from '@hub/client/internal'
import type { Command } from 'commander'
import { exitCode } from './client-output.ts'
import { type CommandResult, type CommonOptions, common, runCommand, UsageError, type Work } from './client-session.ts'
import { type Compared, comparedMetrics, comparedSettings, compareText } from './compare-text.ts'
import { noMetric, pointsOf, readMetrics } from './metric-points.ts'
import { hubExamples } from './output.ts'
import type { AskingIo } from './prompt.ts'
import { shortNumber, sparkText, table } from './run-output.ts'
import { readSettings } from './run-settings.ts'
import { screenOf } from './screen.ts'
import { inLine, printColored, printJson } from './terminal.ts'

/** As many as the pages compare. */
const COMPARED = 8
/** Points of a curve on a line of the terminal. */
const POINTS = 400

const compareHelp = `
The other runs are compared with the first: beside each value stands its distance from the first run's, on a terminal
in green where it is better and in red where it is worse. Many runs take several tables, each with the first run.`

interface CompareOptions extends CommonOptions {
  readonly all?: boolean
}

/** Adds them to the program and to `hub runs`. */
export function registerCompareCommands(program: Command, runs: Command, io: AskingIo): void {
  const start = (command: Command, work: Work) => runCommand(io, command.optsWithGlobals<CommonOptions>(), work)
  for (const [parent, path] of [
    [program, 'compare'],
    [runs, 'runs compare'],
  ] as const)
    common(parent.command('compare <runs...>').description('Show what differs between runs: settings and metrics'), io)
      .option('--all', 'all settings, and the metrics of the machine')
      .addHelpText(
        'after',
        `${compareHelp}\n${hubExamples(`${path} run_01k0… run_01k1…`, `${path} run_01k0… run_01k1… --all`)}`,
      )
      .action((ids: string[], _options: CompareOptions, command: Command) =>
        start(command, (client) => compare(io, client, ids, command.optsWithGlobals<CompareOptions>())),
      )
  common(runs.command('metrics <run> [keys...]').description('Show the curves of metrics (default: all)'), io)
    .addHelpText('after', hubExamples('runs metrics run_01k0…', 'runs metrics run_01k0… loss val/loss'))
    .action((run: string, keys: string[], _options: CommonOptions, command: Command) =>
      start(command, (client) => curves(client, run, keys)),
    )
}

async function compare(io: AskingIo, client: HubClient, ids: readonly string[], options: CompareOptions) {
  const { all = false, json = false } = options
  const asked = [...new Set(ids)]
  if (asked.length < 2 || asked.length > COMPARED)
    throw new UsageError(`Name 2 to ${COMPARED} runs, not ${asked.length}.`)
  const runs: Compared[] = []
  for (const id of asked) {
    const run = await client.runs.get(id)
    const [settings, summary] = await Promise.all([readSettings(client, run), client.runs.summary(id)])
    runs.push({ id: run.id, name: run.display_name, status: run.status, settings, summary })
  }
  if (json) printJson(io.stdout, { runs: compareJson(runs, all) })
  else printColored(io.stdout, compareText(runs, screenOf(io), all))
  return exitCode.ok
}

/** `delta` is the difference from the first run's value, null where one of the two is missing. */
function compareJson(runs: readonly Compared[], all: boolean) {
  const settings = comparedSettings(runs, all)
  const keys = new Set(comparedMetrics(runs, all))
  const difference = (own: number | null, base: number | null | undefined) =>
    own === null || base == null ? null : own - base
  return runs.map(({ id, name, status, summary }, at) => {
    const shown = summary.filter(({ key }) => keys.has(key))
    const values = shown.map(({ key, last, best }) => {
      const base = runs[0]?.summary.find((one) => one.key === key)
      return [key, { last, best, last_delta: difference(last, base?.last), best_delta: difference(best, base?.best) }]
    })
    return {
      id,
      display_name: name,
      status,
      settings: Object.fromEntries(settings.map(([path, cells]) => [path, cells[at] ?? null])),
      metrics: Object.fromEntries(shown.map(({ key, last }) => [key, shortNumber(last)])),
      values: Object.fromEntries(values),
    }
  })
}

async function curves(client: HubClient, run: string, keys: readonly string[]): Promise<CommandResult> {
  const metrics = await readMetrics(client, run, keys, POINTS)
  const none = keys.filter((key) => !metrics.series.some((one) => one.key === key && one.count > 0))
  if (none.length > 0)
    throw noMetric(
      run,
      none,
      (await client.runs.summary(run)).map(({ key }) => key),
    )
  const rows = metrics.series.map(({ key, points }) => {
    const pairs = pointsOf(points)
    const last = pairs.at(-1)
    return [
      inLine(key),
      sparkText({ metric: key, points: pairs.map((pair) => [...pair]) }, 40),
      last ? shortNumber(last[1]) : '-',
      `step ${last?.[0] ?? '-'}`,
    ]
  })
  return { json: metrics, text: rows.length === 0 ? `${run} has no metric yet.\n` : `${table(rows).join('\n')}\n` }
}
