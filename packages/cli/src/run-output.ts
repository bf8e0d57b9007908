/** Text output of runs. */

import type { RemoteRun, RemoteSummary } from '@hub/client/internal'
import { machineLast } from '@hub/formats/metric-order'
import { durationText } from './duration-text.ts'
import { inLine, logText } from './terminal.ts'

const blocks = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const

/** The reward curve as block characters: the mean of each of at most `width` equal step ranges; '' without points. */
export function sparkText(sparkline: RemoteRun['sparkline'], width = 24): string {
  const points = (sparkline?.points ?? []).filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y))
  const [first, last] = [points[0]?.[0], points.at(-1)?.[0]]
  if (first === undefined || last === undefined) return ''
  const cells = Array.from({ length: Math.min(width, points.length) }, () => ({ sum: 0, count: 0 }))
  for (const [x = 0, y = 0] of points) {
    const index = last === first ? 0 : Math.floor(((x - first) / (last - first)) * cells.length)
    const cell = cells[Math.min(cells.length - 1, index)]
    if (!cell) continue
    cell.sum += y
    cell.count += 1
  }
  const means = cells.filter(({ count }) => count > 0).map(({ sum, count }) => sum / count)
  const low = Math.min(...means)
  const span = Math.max(...means) - low || 1
  return means.map((mean) => blocks[Math.round(((mean - low) / span) * (blocks.length - 1))]).join('')
}

/** One line of a list. */
export function runRow(run: RemoteRun): string {
  const done = run.progress?.fraction ?? null
  const share = done === null ? '' : `${Math.floor(done * 100)}%`
  const curve = sparkText(run.sparkline, 16).padEnd(16)
  const value = run.sort_value === null ? '' : `${String(round(run.sort_value)).padStart(10)}  `
  return `${inLine(`${run.id}  ${run.status.padEnd(9)} ${share.padStart(4)} ${curve}  ${value}${run.display_name}`)}\n`
}

/** One run as text: one line per known fact. */
export function runLines(run: RemoteRun): string {
  const { progress, sparkline, spend } = run
  const last = sparkline?.points.at(-1)?.[1]
  const lines: readonly (readonly [string, string | null])[] = [
    ['run', `${run.id}  ${run.display_name}`],
    ['status', run.cancel_requested_at && run.status === 'running' ? 'running, asked to stop' : run.status],
    ['owner', run.owner.handle],
    ['project', run.project],
    ['group', run.group],
    ['job type', run.job_type],
    ['tags', run.tags.length > 0 ? run.tags.join(', ') : null],
    ['notes', run.notes],
    ['runner', run.claimed_by],
    [
      'iteration',
      progress?.iteration == null
        ? null
        : `${progress.iteration}${shareText(progress.fraction)}${leftText(progress.eta_s)}`,
    ],
    [sparkline?.metric ?? 'reward', last === undefined ? null : `${sparkText(sparkline)}  ${round(last)}`],
    ['output', run.output_model_repo?.full_name ?? null],
    ['cost', spend?.priced && spend.accrued_usd !== null ? `${spend.accrued_usd} USD` : null],
    ['error', run.error],
  ]
  return lines
    .flatMap(([name, value]) => (value === null ? [] : [`${inLine(`${name.padEnd(10)} ${value}`)}\n`]))
    .join('')
}

/** Metrics that are listed; `--json` has all. */
const LISTED_METRICS = 30

/** What each metric comes to as a table; '' without metrics. */
export function summaryLines(summary: readonly RemoteSummary[]): string {
  if (summary.length === 0) return ''
  const listed = machineLast(summary).slice(0, LISTED_METRICS)
  const rows = listed.map(({ key, last, best, min, max, mean }) => [
    inLine(key),
    ...[last, best, min, max, mean].map((value) => (value === null ? '-' : String(round(value)))),
  ])
  const [head, ...body] = table([['metric', 'last', 'best', 'min', 'max', 'mean'], ...rows])
  const left = summary.length - listed.length
  return `\n${head}\n${body.join('\n')}\n${left > 0 ? `${left} more metrics: --json has them all.\n` : ''}`
}

/** Rows with columns of one width: the first to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
  )
}

/** ` (42%)`; '' where that is not known. */
export const shareText = (fraction: number | null) => (fraction === null ? '' : ` (${Math.floor(fraction * 100)}%)`)
const leftText = (seconds: number | null) => (seconds === null ? '' : `, about ${durationText(seconds)} left`)
const round = (value: number) => Number(value.toPrecision(5))

/** With five digits. */
export const shortNumber = (value: number): string => String(round(value))

/** A log line; notices of the hub are prefixed and colored. */
export function paintLine({ stream, line }: { readonly stream: string; readonly line: string }, isTerminal: boolean) {
  const text = logText(line, isTerminal)
  if (stream !== 'stderr') return `${text}\n`
  return isTerminal ? `\x1b[33mhub: ${text}\x1b[0m\n` : `hub: ${text}\n`
}
