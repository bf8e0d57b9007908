/** `hub runs compare` and `hub runs metrics`: what runs came to, beside each other, and the curve of any metric. */
import type { HubClient } from '@hub/client/internal'
import type { Command } from 'commander'
import { type CommandResult, type CommonOptions, common, runCommand, UsageError } from './client-session.ts'
import { noMetric, pointsOf, readMetrics } from './metric-points.ts'
import { hubExamples } from './output.ts'
import type { AskingIo } from './prompt.ts'
import { shortNumber, sparkText, table } from './run-output.ts'
import { inLine } from './terminal.ts'

/** As many as the pages compare. */
const COMPARED = 8
/** Characters of a value in a table; `--json` has all of it. */
const SHOWN = 24
/** Points of a curve on a line of the terminal. */
const POINTS = 400

/** Adds them to `hub runs`. */
export function registerCompareCommands(runs: Command, io: AskingIo): void {
  const start = (command: Command, work: (client: HubClient) => Promise<CommandResult>) =>
    runCommand(io, command.optsWithGlobals<CommonOptions>(), work)
  common(runs.command('compare <runs...>').description('Show what differs between runs: settings, and last values'), io)
    .addHelpText('after', hubExamples('runs compare run_01k0… run_01k1…'))
    .action((ids: string[], _options: CommonOptions, command: Command) =>
      start(command, (client) => compare(client, ids)),
    )
  common(runs.command('metrics <run> [keys...]').description('Show the curves of metrics (default: all)'), io)
    .addHelpText('after', hubExamples('runs metrics run_01k0…', 'runs metrics run_01k0… loss val/loss'))
    .action((run: string, keys: string[], _options: CommonOptions, command: Command) =>
      start(command, (client) => curves(client, run, keys)),
    )
}

type Cells = ReadonlyMap<string, string>

async function compare(client: HubClient, ids: readonly string[]): Promise<CommandResult> {
  const asked = [...new Set(ids)]
  if (asked.length < 2 || asked.length > COMPARED)
    throw new UsageError(`Name 2 to ${COMPARED} runs, not ${asked.length}.`)
  const found = []
  for (const id of asked) {
    const path = { run_id: id }
    const [run, config, summary] = [
      await client.runs.get(id),
      await client.v1.getRunConfig({ path }),
      await client.runs.summary(id),
    ]
    const settings = new Map(
      config.keys.map(({ group, path: name, value }) => [group ? `${group}.${name}` : name, value]),
    )
    const metrics = new Map(summary.map(({ key, last }) => [key, shortNumber(last)]))
    found.push({ run, settings, metrics })
  }
  const settings = rowsOf(found.map((one) => one.settings)).filter(([, ...cells]) => new Set(cells).size > 1)
  const metrics = rowsOf(found.map((one) => one.metrics))
  const head = ['', ...found.map(({ run }) => `…${run.id.slice(-6)}`)]
  const facts = [
    ['name', ...found.map(({ run }) => run.display_name)],
    ['status', ...found.map(({ run }) => run.status)],
  ]
  const text = [
    lines([head, ...facts].map(cut)),
    part('Settings that differ', settings, 'The settings are the same.'),
    part('Last values', metrics, 'No run has a metric yet.'),
  ]
  const json = found.map((one) => ({
    id: one.run.id,
    display_name: one.run.display_name,
    status: one.run.status,
    settings: Object.fromEntries(settings.map(([key = '']) => [key, one.settings.get(key) ?? null])),
    metrics: Object.fromEntries(one.metrics),
  }))
  return { json: { runs: json }, text: text.join('\n') }
}

/** A row for each key, in the order in which they appear; `-` where a run has none. */
const rowsOf = (columns: readonly Cells[]): string[][] =>
  [...new Set(columns.flatMap((one) => [...one.keys()]))].map((key) => [
    key,
    ...columns.map((one) => one.get(key) ?? '-'),
  ])

const part = (title: string, rows: readonly string[][], none: string): string =>
  rows.length === 0 ? `${none}\n` : `${title}\n${lines(rows.map(cut))}`

const lines = (rows: readonly (readonly string[])[]) => `${table(rows).join('\n')}\n`

const cut = (row: readonly string[]): string[] =>
  row.map((cell) => {
    const line = inLine(cell)
    return line.length > SHOWN ? `${line.slice(0, SHOWN - 1)}…` : line
  })

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
  return { json: metrics, text: rows.length === 0 ? `${run} has no metric yet.\n` : lines(rows) }
}
