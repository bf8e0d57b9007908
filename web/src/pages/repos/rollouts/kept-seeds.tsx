/** The seeds whose motions a result keeps, the worst first, each with a link that plays it. */
import { useState } from 'react'
import { Link } from '../../../app/navigate.tsx'
import { rounded } from '../../../ui/format.ts'
import { rootField } from '../../../ui/root-field.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { useReading } from '../../../ui/use-reading.ts'
import { namedResult, resultName } from './result-name.ts'
import { keptSeedsQuery, type RolloutRowFragment } from './rollouts.graphql.ts'

/** The address of a motion: of one result, or of two. */
function motionLink(row: RolloutRowFragment, seed: number, other: RolloutRowFragment | null = null) {
  const [owner = '', repo = ''] = row.robot.split('/')
  const named = { one: resultName(row), ...(other && { other: resultName(other) }) }
  return { params: { owner, repo }, query: { ...named, seed: String(seed), kept: '1' } }
}

export function KeptSeeds({ row }: { readonly row: RolloutRowFragment }) {
  const [isOpen, setOpen] = useState(false)
  const [answer, again] = useReading({
    query: keptSeedsQuery,
    variables: namedResult(resultName(row)),
    pause: !isOpen,
  })
  const { value, error } = rootField(answer, 'repo')
  const kept = value?.rollout?.episodes
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="small">Recorded motions</summary>
      {error && <ErrorNotice error={error} retry={again} />}
      {isOpen && value === undefined && !error && <Loading />}
      {kept?.length === 0 && (
        <p className="small dim">
          None: <code>hub rollout … --publish --keep-worst 5</code> keeps those of the worst seeds.
        </p>
      )}
      <ul className="lines small">
        {kept?.map(({ outcome: { seed, ending, return: sum } }) => (
          <li key={seed}>
            Seed {seed}: {ending.toLowerCase()}, return {rounded(sum)}{' '}
            <Link to="repoRollouts" {...motionLink(row, seed)}>
              Play seed {seed}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  )
}

interface Pair {
  readonly one: RolloutRowFragment
  readonly other: RolloutRowFragment
}

/** Of two results the seeds that both keep, to be played beside each other. */
export function KeptSeedsOfBoth({ one, other }: Pair) {
  const [own, again] = useReading({ query: keptSeedsQuery, variables: namedResult(resultName(one)) })
  const [others, othersAgain] = useReading({ query: keptSeedsQuery, variables: namedResult(resultName(other)) })
  const first = rootField(own, 'repo')
  const second = rootField(others, 'repo')
  if (!first.value && first.error) return <ErrorNotice error={first.error} retry={again} />
  if (!second.value && second.error) return <ErrorNotice error={second.error} retry={othersAgain} />
  const theirs = new Set(second.value?.rollout?.episodes.map(({ outcome }) => outcome.seed))
  const mine = first.value?.rollout?.episodes.map(({ outcome }) => outcome.seed) ?? []
  const both = mine.filter((seed) => theirs.has(seed))
  if (both.length === 0) return null
  return (
    <p className="row">
      <span>Recorded motions beside each other:</span>
      {both.map((seed) => (
        <Link key={seed} to="repoRollouts" {...motionLink(one, seed, other)}>
          Play seed {seed}
        </Link>
      ))}
    </p>
  )
}
