/** What two versions of a model differ in besides files: the runs that made them, and the results of their policies. */
import { Link } from '../../../app/navigate.tsx'
import { rootField } from '../../../ui/root-field.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { useReading } from '../../../ui/use-reading.ts'
import { type ComparedVersionFragment, comparedVersionsQuery } from './compare.graphql.ts'
import { type VersionPair, VersionResults } from './version-results.tsx'

export function ModelVersions(pair: VersionPair) {
  return (
    <>
      <RunsOfVersions {...pair} />
      <VersionResults {...pair} />
    </>
  )
}

function RunsOfVersions({ owner, repo, from, to }: VersionPair) {
  const [answer, again] = useReading({ query: comparedVersionsQuery, variables: { owner, repo, from, to } })
  const { value, error } = rootField(answer, 'repo')
  if (!value) return error ? <ErrorNotice error={error} retry={again} /> : <Loading />
  return (
    <section className="panel stack" aria-label="Runs">
      <h2>Runs</h2>
      {error && <ErrorNotice error={error} retry={again} />}
      <ul className="lines">
        <MadeBy side="From" version={value.from} />
        <MadeBy side="To" version={value.to} />
      </ul>
      <RunComparison runs={[value.from?.run?.id, value.to?.run?.id]} />
    </section>
  )
}

interface MadeByProps {
  readonly side: string
  readonly version: ComparedVersionFragment | null | undefined
}

function MadeBy({ side, version }: MadeByProps) {
  if (!version) return null
  const { commitId, run } = version
  return (
    <li>
      {side} <code>{commitId?.slice(0, 7)}</code>:{' '}
      {run ? (
        <>
          made by{' '}
          <Link to="run" params={{ id: run.id }}>
            {run.displayName}
          </Link>{' '}
          <Status of={run.status} />
        </>
      ) : (
        <span className="dim">
          no run that you can see is on record: a person made it, or it is from before runs were.
        </span>
      )}
    </li>
  )
}

/** Config, data sets and metrics are compared where runs are. */
function RunComparison({ runs: [from, to] }: { readonly runs: readonly (string | undefined)[] }) {
  if (from === undefined || to === undefined) return null
  if (from === to) return <p className="dim">One run made both: they are checkpoints of it.</p>
  return (
    <p>
      <Link to="runs" params={{}} query={{ compare: `${from},${to}` }}>
        What changed between the runs that made them
      </Link>
      : config, data sets and metrics.
    </p>
  )
}
