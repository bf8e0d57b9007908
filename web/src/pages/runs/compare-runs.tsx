/** Runs beside each other: what differs in their configs, and their curves in one chart. */
import { lazy, Suspense } from 'react'
import { useQuery } from 'urql'
import { Link } from '../../app/navigate.tsx'
import { ErrorNotice, Loading } from '../../ui/states.tsx'
import { type CompareRunsQuery, compareRunsQuery } from './compare-runs.graphql.ts'
import { differences } from './config-diff.ts'

const RunMetrics = lazy(async () => ({ default: (await import('./run-metrics.tsx')).RunMetrics }))

type Compared = Extract<NonNullable<CompareRunsQuery['nodes'][number]>, { readonly displayName: string }>
const isRun = (node: CompareRunsQuery['nodes'][number]): node is Compared => node !== null && 'displayName' in node

export function CompareRuns({ ids }: { readonly ids: readonly string[] }) {
  const [{ data, error }, again] = useQuery({ query: compareRunsQuery, variables: { ids: [...ids] } })
  if (error) return <ErrorNotice error={error} retry={again} />
  if (!data) return <Loading />
  const runs = data.nodes.filter(isRun)
  if (runs.length < ids.length) return <p className="panel">One of these runs is not visible to you.</p>
  return (
    <section className="panel stack" aria-label="Comparison">
      <h2>{runs.length} runs compared</h2>
      <ConfigTable runs={runs} />
      <Suspense fallback={<Loading />}>
        <RunMetrics runs={runs.map(({ id, displayName }) => ({ id, name: displayName }))} tick="" />
      </Suspense>
    </section>
  )
}

function ConfigTable({ runs }: { readonly runs: readonly Compared[] }) {
  const changed = differences(runs.map(({ config }) => config.keys))
  if (changed.length === 0) return <p className="dim">Their configs do not differ.</p>
  return (
    <div className="table-wrap">
      <table>
        <thead>
          <tr>
            <th>Setting</th>
            {runs.map(({ id, displayName }) => (
              <th key={id}>
                <Link to="run" params={{ id }}>
                  {displayName}
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {changed.map(({ path, values }) => (
            <tr key={path}>
              <td className="mono">{path}</td>
              {values.map((value, place) => (
                <td key={runs[place]?.id} className="mono">
                  {value ?? <span className="dim">not set</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
