/** The columns of `hub runs --columns`: a value of a metric, or a setting. */
import type { HubClient, RemoteRun, RemoteSummary } from '@hub/client/internal'
import { UsageError } from './command-errors.ts'
import { shortNumber } from './run-output.ts'
import { readSettings, settingOf } from './run-settings.ts'

/** Which values of a metric there are. */
export const metricValues = ['last', 'best', 'min', 'max', 'mean'] as const

export type Column = { readonly head: string } & (
  | { readonly setting: string }
  | { readonly metric: string; readonly value: (typeof metricValues)[number] }
)

/** What a column has of each run; null where a run has none. */
export type Cells = Readonly<Record<string, string | number | null>>

/** As many as one request may ask for; far more than a line has room for. */
const MOST = 100
/** Runs that are asked for at a time. */
const AT_A_TIME = 5
const SETTING = 'config.'

/** Reads `loss,val/loss:best,config.lr`. */
export function parseColumns(text: string): Column[] {
  const heads = [...new Set(text.split(',').map((head) => head.trim()))].filter((head) => head !== '')
  if (heads.length === 0 || heads.length > MOST)
    throw new UsageError(`--columns takes 1 to ${MOST} names, such as loss,val/loss:best,config.lr.`)
  return heads.map((head) => {
    if (head.startsWith(SETTING)) return { head, setting: head.slice(SETTING.length) }
    const value = metricValues.find((one) => head.endsWith(`:${one}`) && head.length > one.length + 1)
    return value
      ? { head, metric: head.slice(0, -value.length - 1), value }
      : { head, metric: head, value: 'last' as const }
  })
}

/** Reads the columns of runs. Those of a run that has not changed since are not read again. */
export function columnReader(client: HubClient, columns: readonly Column[]) {
  const known = new Map<string, { readonly version: string; readonly cells: Cells }>()
  const keys = [...new Set(columns.flatMap((column) => ('metric' in column ? [column.metric] : [])))]
  const hasSettings = columns.some((column) => 'setting' in column)

  async function read(run: RemoteRun): Promise<readonly [string, Cells]> {
    const version = versionOf(run)
    const before = known.get(run.id)
    if (before?.version === version) return [run.id, before.cells]
    const [summary, settings] = await Promise.all([
      keys.length > 0 ? client.runs.summary(run.id, keys) : [],
      hasSettings ? readSettings(client, run) : new Map<string, string>(),
    ])
    const cells = Object.fromEntries(
      columns.map((column) => [
        column.head,
        'setting' in column ? settingOf(settings, column.setting) : metricValue(summary, column),
      ]),
    )
    known.set(run.id, { version, cells })
    return [run.id, cells]
  }

  /** The cells of each run by its id. */
  return async (runs: readonly RemoteRun[]): Promise<ReadonlyMap<string, Cells>> => {
    const cells = new Map<string, Cells>()
    for (let at = 0; at < runs.length; at += AT_A_TIME)
      for (const [id, own] of await Promise.all(runs.slice(at, at + AT_A_TIME).map(read))) cells.set(id, own)
    return cells
  }
}

/** Changes with each report. */
const versionOf = ({ status, heartbeat_at, latest_metrics, progress }: RemoteRun) =>
  JSON.stringify([status, heartbeat_at, latest_metrics, progress?.iteration])

const metricValue = (summary: readonly RemoteSummary[], { metric, value }: Extract<Column, { metric: string }>) =>
  summary.find(({ key }) => key === metric)?.[value] ?? null

/** A cell as text. */
export const cellText = (cell: string | number | null | undefined): string =>
  cell == null ? '-' : typeof cell === 'number' ? shortNumber(cell) : cell
