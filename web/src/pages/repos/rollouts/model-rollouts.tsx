/** The results of a model, newest first, each with the seeds that failed. */
import { useMemo, useState } from 'react'
import { Link } from '../../../app/navigate.tsx'
import { rounded } from '../../../ui/format.ts'
import { LoadMore } from '../../../ui/load-more.tsx'
import { repoParts } from '../../../ui/repo-parts.ts'
import { Empty, ErrorNotice, Loading } from '../../../ui/states.tsx'
import { usePages } from '../../../ui/use-pages.ts'
import { ChosenResults, useChosenResults } from './chosen-results.tsx'
import { GatesOfModel } from './gates-of-model.tsx'
import { KeptSeeds } from './kept-seeds.tsx'
import { resultName } from './result-name.ts'
import { RolloutTable } from './rollout-table.tsx'
import {
  type FailedSeedsQuery,
  failedSeedsQuery,
  type ModelRolloutsQuery,
  modelRolloutsQuery,
  type RolloutRowFragment,
} from './rollouts.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
}

const rolloutsOf = ({ rollouts }: NonNullable<ModelRolloutsQuery['repo']>) => rollouts

export function ModelRollouts({ owner, repo }: Props) {
  const { chosen, toggle } = useChosenResults()
  const variables = useMemo(() => ({ owner, repo, after: null }), [owner, repo])
  const pages = usePages({ query: modelRolloutsQuery, variables, field: 'repo', select: rolloutsOf })
  const below = (row: RolloutRowFragment) => (
    <>
      {row.successes < row.seeds && <FailedSeeds owner={owner} repo={repo} row={row} />}
      <KeptSeeds row={row} />
    </>
  )
  const isUnknown = pages.root === undefined && !pages.error
  return (
    <div className="stack">
      <GatesOfModel owner={owner} repo={repo} robot={isUnknown ? undefined : (pages.nodes[0]?.robot ?? '')} />
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {isUnknown && <Loading />}
      {pages.isEmpty && (
        <Empty title="No result yet">
          <p>
            <code>
              hub rollout {owner}/{repo} --robot OWNER/ROBOT -n 100 --publish
            </code>{' '}
            runs this model on a robot, and keeps the outcome of each seed.
          </p>
        </Empty>
      )}
      <ChosenResults chosen={chosen} rows={pages.nodes} toggle={toggle} />
      {pages.nodes.length > 0 && (
        <RolloutTable rows={pages.nodes} shows="robot" chosen={chosen} toggle={toggle} below={below} />
      )}
      <LoadMore pages={pages} />
    </div>
  )
}

const failedOf = ({ rollout }: NonNullable<FailedSeedsQuery['repo']>) => rollout?.outcomes

function FailedSeeds({ owner, repo, row }: Props & { readonly row: RolloutRowFragment }) {
  const { id, model, modelCommit, robot } = row
  const [isOpen, setOpen] = useState(false)
  const variables = useMemo(() => ({ owner, repo, id, after: null }), [owner, repo, id])
  const pages = usePages({ query: failedSeedsQuery, variables, field: 'repo', select: failedOf, pause: !isOpen })
  const [first] = pages.nodes
  const { owner: driver, repo: body } = repoParts(robot)
  const driven = { owner: driver, repo: body }
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="small">Failed seeds</summary>
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {isOpen && pages.root === undefined && !pages.error && <Loading />}
      {first && (
        <p className="small">
          To write the episode of a seed:{' '}
          <code>
            hub rollout {model}@{modelCommit} --robot {robot} --seed {first.seed} -n 1 --episodes out/
          </code>
          , with the task and the disturbance of the board.
        </p>
      )}
      <ul className="lines small">
        {pages.nodes.map(({ seed, ending, seconds, return: sum }) => (
          <li key={seed}>
            Seed {seed}: {ending.toLowerCase()} after {rounded(seconds)} s, return {rounded(sum)}{' '}
            <Link to="repoRollouts" params={driven} query={{ one: resultName(row), seed: String(seed) }}>
              Run it in 3D
            </Link>
          </li>
        ))}
      </ul>
      <LoadMore pages={pages} />
    </details>
  )
}
