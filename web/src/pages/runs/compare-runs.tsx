/** Runs next to each other: what differs in their configs, and their curves in one chart. */
import { lazy, Suspense } from 'react'
import { Link } from '../../app/navigate.tsx'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice, Loading } from '../../ui/states.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { type CompareRunsQuery, compareRunsQuery } from './compare-runs.graphql.ts'
import { COMPARED, CONFIGS_AT_ONCE } from './compared.ts'
import { differences } from './config-diff.ts'
import { FinalValues } from './final-values.tsx'

const RunMetrics = lazy(async () => ({ default: (await import('./run-metrics.tsx')).RunMetrics }))

type Node = NonNullable<CompareRunsQuery['nodes']>[number]
type Compared = Extract<NonNullable<Node>, { readonly displayName: string }>
const isRun = (node: Node): node is Compared => node !== null && 'displayName' in node

export function CompareRuns({ ids }: { readonly ids: readonly string[] }) {
  const first = useConfigs(ids.slice(0, CONFIGS_AT_ONCE))
  const second = useConfigs(ids.slice(CONFIGS_AT_ONCE, 2 * CONFIGS_AT_ONCE))
  const third = useConfigs(ids.slice(2 * CONFIGS_AT_ONCE, COMPARED))
  const failed = [first, second, third].find(({ error }) => error)
  const notice = failed?.error && <ErrorNotice error={failed.error} retry={failed.again} />
  if (!first.nodes || !second.nodes || !third.nodes) return notice ?? <Loading />
  const runs = [...first.nodes, ...second.nodes, ...third.nodes].filter(isRun)
  const named = runs.map(({ id, displayName }) => ({ id, name: displayName }))
  if (runs.length < ids.length) return <p className="panel">One of these runs is not visible to you.</p>
  return (
    <section className="panel stack" aria-label="Comparison">
      <h2>{runs.length} runs compared</h2>
      {notice}
      <FinalValues runs={named} />
      <ConfigTable runs={runs} />
      <Suspense fallback={<Loading />}>
        <RunMetrics runs={named} tick="" />
      </Suspense>
    </section>
  )
}

/** Of at most `CONFIGS_AT_ONCE` runs. */
function useConfigs(ids: readonly string[]) {
  const pause = ids.length === 0
  const [answer, again] = useReading({ query: compareRunsQuery, variables: { ids: [...ids] }, pause })
  const { value, error } = rootField(answer, 'nodes')
  return { nodes: pause ? [] : value, error, again }
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
