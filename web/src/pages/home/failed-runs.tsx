/** Runs of the person's accounts that failed in the last week: each wants a look. */
import { Link } from '../../app/navigate.tsx'
import { Live } from '../../ui/live.tsx'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { runsChangedSubscription } from '../runs/runs.graphql.ts'
import { lately } from './lately.ts'
import { failedRunsQuery } from './waiting.graphql.ts'

export function FailedRuns({ owners }: { readonly owners: readonly string[] }) {
  const [answer, again] = useReading({ query: failedRunsQuery })
  const { value, error } = rootField(answer, 'runs')
  const failed = lately(value?.nodes ?? [], owners, Date.now())
  return (
    <>
      <Live query={runsChangedSubscription} owners={owners} changed={again} />
      {error && <ErrorNotice error={error} retry={again} />}
      {failed.length > 0 && (
        <section className="stack" aria-label="Failed this week">
          <div className="row spread">
            <h2>Failed this week</h2>
            <Link to="runs" params={{}} query={{ status: 'FAILED' }}>
              All failed runs
            </Link>
          </div>
          <ul className="panel plain-list">
            {failed.map((run) => (
              <li key={run.id} className="row spread">
                <Link to="run" params={{ id: run.id }}>
                  {run.displayName}
                </Link>
                <span className="dim small">
                  {run.owner.handle} · <Time at={run.finishedAt} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
