/** Runs as rows: what, for which robot, how far, how long, what it cost, and what its metrics come to. */
import type { ReactNode } from 'react'
import { Link } from '../../app/navigate.tsx'
import { duration, money, rounded } from '../../ui/format.ts'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { RepoLink } from '../repos/repo-table.tsx'
import { type ColumnName, columnNames, fractionOf, usualColumns } from './run-view.ts'
import type { RunsQuery, RunsQueryVariables } from './runs.graphql.ts'

type RunRow = NonNullable<RunsQuery['runs']>['nodes'][number]

interface Props {
  readonly runs: readonly RunRow[]
  readonly columns?: readonly ColumnName[]
  /** Each has a column of its own, which sorts. */
  readonly metrics?: readonly string[]
  readonly sort?: Pick<RunsQueryVariables, 'sortMetric' | 'sortBy'>
  readonly sortBy?: (metric: string, isShownAscending: boolean) => void
  /** Ids of those chosen to be compared; without, none can be. */
  readonly chosen?: readonly string[]
  readonly choose?: (id: string) => void
}

export function RunTable({ runs, columns = usualColumns, metrics = [], sort, sortBy, chosen, choose }: Props) {
  return (
    <div className="panel flush table-wrap">
      <table>
        <thead>
          <tr>
            {choose && <th>Compare</th>}
            <th>Run</th>
            <th>Status</th>
            {columns.map((name) => (
              <th key={name} className={cells[name].isNumber ? 'number' : undefined}>
                {columnNames[name]}
              </th>
            ))}
            {metrics.map((metric) => (
              <MetricHead
                key={metric}
                metric={metric}
                runs={runs}
                isSorted={sort?.sortMetric === metric}
                sortBy={sortBy}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              {choose && (
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Compare ${run.displayName}`}
                    checked={chosen?.includes(run.id) ?? false}
                    onChange={() => choose(run.id)}
                  />
                </td>
              )}
              <td>
                <Link to="run" params={{ id: run.id }}>
                  {run.displayName}
                </Link>
                <div className="dim small">
                  {run.recipe.template} · {run.owner.handle}
                </div>
              </td>
              <td>
                <Status of={run.status} />
              </td>
              {columns.map((name) => (
                <td key={name} className={cells[name].isNumber ? 'number nowrap' : undefined}>
                  {cells[name].of(run) ?? <span className="dim">–</span>}
                </td>
              ))}
              {metrics.map((metric) => (
                <td key={metric} className="number nowrap">
                  {shownValue(run, metric, sort) ?? <span className="dim">–</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface Cell {
  readonly isNumber?: boolean
  /** Null where a run has none. */
  readonly of: (run: RunRow) => ReactNode
}

const cells: Readonly<Record<ColumnName, Cell>> = {
  robot: { of: ({ robotRepo }) => robotRepo && <RepoLink fullName={robotRepo.fullName} /> },
  project: { of: ({ project }) => project },
  group: { of: ({ group }) => group },
  tags: { of: ({ tags }) => (tags.length > 0 ? tags.join(', ') : null) },
  progress: { of: (run) => <Progress fraction={fractionOf(run)} label={run.displayName} /> },
  took: { isNumber: true, of: tookOf },
  cost: { isNumber: true, of: ({ spend }) => (spend.priced ? money(spend.accruedUsd) : null) },
  created: { of: ({ createdAt }) => <Time at={createdAt} /> },
}

/** What a run is sorted by, else the last value. */
function shownValue(run: RunRow, metric: string, sort: Props['sort']): string | null {
  const sorted = sort?.sortMetric === metric ? run.sortValue : null
  const value = sorted ?? run.summary.find(({ key }) => key === metric)?.last
  return value === undefined ? null : rounded(value)
}

interface MetricHeadProps extends Pick<Props, 'sortBy' | 'runs'> {
  readonly metric: string
  readonly isSorted: boolean
}

/** The order that is shown is that of the rows: the hub decides which values come first. */
function MetricHead({ metric, runs, isSorted, sortBy }: MetricHeadProps) {
  const values = runs.map(({ sortValue }) => sortValue ?? 0)
  const isAscending = isSorted && (values[0] ?? 0) < (values.at(-1) ?? 0)
  const order = isAscending ? 'ascending' : 'descending'
  return (
    <th className="number" aria-sort={isSorted ? order : 'none'}>
      {sortBy ? (
        <button
          type="button"
          className="button plain small nowrap"
          title={`Sort by ${metric}`}
          onClick={() => sortBy(metric, isAscending)}
        >
          {metric}
          {isSorted && (isAscending ? ' ↑' : ' ↓')}
        </button>
      ) : (
        metric
      )}
    </th>
  )
}

/** From start to end, or to now. */
export function tookOf(job: { readonly startedAt: string | null; readonly finishedAt: string | null }): string {
  if (!job.startedAt) return '–'
  const end = job.finishedAt ? Date.parse(job.finishedAt) : Date.now()
  return duration((end - Date.parse(job.startedAt)) / 1000)
}

export function Progress({ fraction, label }: { readonly fraction: number | null; readonly label: string }) {
  if (fraction === null) return <span className="dim">–</span>
  return (
    <span className="row nowrap">
      <progress value={fraction} aria-label={`Progress of ${label}`} />
      <span className="small">{Math.round(100 * fraction)} %</span>
    </span>
  )
}
