/** Runs as rows: what, for which robot, how far, how long, and what it cost. */
import { Link } from '../../app/navigate.tsx'
import { duration, money } from '../../ui/format.ts'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { RepoLink } from '../repos/repo-table.tsx'
import type { RunsQuery } from './runs.graphql.ts'

type RunRow = NonNullable<RunsQuery['runs']>['nodes'][number]

interface Props {
  readonly runs: readonly RunRow[]
  /** Ids of those chosen to be compared; without, none can be. */
  readonly chosen?: readonly string[]
  readonly choose?: (id: string) => void
}

export function RunTable({ runs, chosen, choose }: Props) {
  return (
    <div className="panel flush table-wrap">
      <table>
        <thead>
          <tr>
            {choose && <th>Compare</th>}
            <th>Run</th>
            <th>Status</th>
            <th>Robot</th>
            <th>Progress</th>
            <th className="number">Took</th>
            <th className="number">Cost</th>
            <th>Created</th>
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
              <td>{run.robotRepo ? <RepoLink fullName={run.robotRepo.fullName} /> : <span className="dim">–</span>}</td>
              <td>
                <Progress fraction={run.progress?.fraction ?? null} label={run.displayName} />
              </td>
              <td className="number nowrap">{tookOf(run)}</td>
              <td className="number">{run.spend.priced ? money(run.spend.accruedUsd) : '–'}</td>
              <td className="nowrap">
                <Time at={run.createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
