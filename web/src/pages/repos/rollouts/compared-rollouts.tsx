/** Two results beside each other: the seeds that only one of them succeeds with, and the runs behind their models. */
import { useMemo } from 'react'
import { Link } from '../../../app/navigate.tsx'
import { rounded } from '../../../ui/format.ts'
import { LoadMore } from '../../../ui/load-more.tsx'
import { repoParts } from '../../../ui/repo-parts.ts'
import { rootField } from '../../../ui/root-field.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { usePages } from '../../../ui/use-pages.ts'
import { useReading } from '../../../ui/use-reading.ts'
import { KeptSeedsOfBoth } from './kept-seeds.tsx'
import { labelOf, resultName } from './result-name.ts'
import {
  type RolloutDifferencesQuery,
  type RolloutRowFragment,
  rolloutDifferencesQuery,
  runsOfModelsQuery,
} from './rollouts.graphql.ts'

/** `rows`: the chosen ones. */
export function ComparedRollouts({ rows }: { readonly rows: readonly RolloutRowFragment[] }) {
  const [one, other] = rows
  if (!one) return null
  if (!other) return <p className="panel dim">Choose another result to compare it with.</p>
  if (one.fingerprint !== other.fingerprint || one.robot !== other.robot)
    return (
      <p className="panel dim">
        These results are of different robots or conditions, so their seeds cannot be compared. Choose two of one board.
      </p>
    )
  return <Compared one={one} other={other} />
}

interface Pair {
  readonly one: RolloutRowFragment
  readonly other: RolloutRowFragment
}

const differencesOf = ({ rollout }: NonNullable<RolloutDifferencesQuery['repo']>) => rollout?.differences

function Compared({ one, other }: Pair) {
  const variables = useMemo(() => {
    const { owner, repo } = repoParts(one.model)
    return { owner, repo, id: one.id, other: other.id, after: null }
  }, [one.model, one.id, other.id])
  const robot = useMemo(() => {
    const { owner, repo } = repoParts(one.robot)
    return { owner, repo }
  }, [one.robot])
  // Two versions of one model are told apart by their commits.
  const areVersions = one.model === other.model && one.modelCommit !== other.modelCommit
  const label = (row: RolloutRowFragment) => (areVersions ? row.modelCommit.slice(0, 7) : labelOf(row))
  const pages = usePages({ query: rolloutDifferencesQuery, variables, field: 'repo', select: differencesOf })
  return (
    <section className="panel stack" aria-label="Comparison">
      <h2>
        {labelOf(one)} beside {labelOf(other)}
      </h2>
      {(one.drawnBy ?? other.drawnBy) !== null && (
        <p className="small">
          Their policies see pictures, which machines draw differently: compare the rates. A seed may end otherwise when
          it is run again.
        </p>
      )}
      <RunsOfBoth one={one} other={other} />
      <KeptSeedsOfBoth one={one} other={other} />
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {pages.root === undefined && !pages.error && <Loading />}
      {pages.isEmpty && <p className="dim">They end alike with each seed that both have.</p>}
      <ul className="lines">
        {pages.nodes.map(({ seed, success, return: sum, otherReturn }) => (
          <li key={seed}>
            Seed {seed}: {label(success ? one : other)} succeeds, {label(success ? other : one)} does not{' '}
            <span className="dim small">
              (returns {rounded(sum)} and {rounded(otherReturn)})
            </span>{' '}
            <Link
              to="repoRollouts"
              params={robot}
              query={{ one: resultName(one), other: resultName(other), seed: String(seed) }}
            >
              Both in 3D
            </Link>
          </li>
        ))}
      </ul>
      <LoadMore pages={pages} />
    </section>
  )
}

/** What changed between the runs that made both models is compared where runs are. */
function RunsOfBoth({ one, other }: Pair) {
  const { owner, repo } = repoParts(one.model)
  const { owner: otherOwner, repo: otherRepo } = repoParts(other.model)
  const [answer, again] = useReading({
    query: runsOfModelsQuery,
    variables: { owner, repo, otherOwner, otherRepo },
    pause: one.model === other.model,
  })
  const first = rootField(answer, 'one')
  const second = rootField(answer, 'other')
  const error = first.error ?? second.error
  const runs = [first, second].flatMap(({ value }) => value?.modelMeta?.sourceRunId ?? [])
  if (runs.length < 2) return error ? <ErrorNotice error={error} retry={again} /> : null
  return (
    <p>
      <Link to="runs" params={{}} query={{ compare: runs.join(',') }}>
        What changed between the runs that made them
      </Link>
      : config, data sets and metrics.
    </p>
  )
}
