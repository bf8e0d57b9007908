/** The boards of a robot: its tasks, and how sure each model is of them. */
import { useMemo } from 'react'
import { useSearchParams } from '../../../app/navigate.tsx'
import { Command } from '../../../ui/command.tsx'
import { LoadMore } from '../../../ui/load-more.tsx'
import { Empty, ErrorNotice, Loading } from '../../../ui/states.tsx'
import { usePages } from '../../../ui/use-pages.ts'
import { useReading } from '../../../ui/use-reading.ts'
import { resultsText, shortBoard } from './board-results.ts'
import { ChosenResults, useChosenResults } from './chosen-results.tsx'
import { disturbanceText } from './disturbance-text.ts'
import { KeptMotions } from './kept-motions.tsx'
import { KeptSeeds } from './kept-seeds.tsx'
import { readMotionAddress } from './motion-address.ts'
import { ReplayedRollouts } from './replayed-rollouts.tsx'
import { RolloutTable } from './rollout-table.tsx'
import {
  boardConditionsQuery,
  type RolloutBoardQuery,
  type RolloutBoardsQuery,
  rolloutBoardQuery,
  rolloutBoardsQuery,
} from './rollouts.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
}

const boardsOf = ({ rolloutBoards }: NonNullable<RolloutBoardsQuery['repo']>) => rolloutBoards
const entriesOf = ({ rolloutBoard }: NonNullable<RolloutBoardQuery['repo']>) => rolloutBoard

/** An address with results shows a seed of them in 3D in place of the boards. */
export function RobotBoards({ owner, repo }: Props) {
  const [search] = useSearchParams()
  const { names, seed, ...begins } = readMotionAddress(search.toString())
  const shown = { owner, repo, names, seed }
  if (names.length === 0) return <Boards owner={owner} repo={repo} />
  return search.has('kept') ? <KeptMotions {...shown} {...begins} /> : <ReplayedRollouts {...shown} />
}

function Boards({ owner, repo }: Props) {
  const [search, setSearch] = useSearchParams()
  const variables = useMemo(() => ({ owner, repo, after: null }), [owner, repo])
  const pages = usePages({ query: rolloutBoardsQuery, variables, field: 'repo', select: boardsOf })
  const asked = search.get('board')
  // A board after the first page is shown too: a link names it.
  const shown = asked ?? pages.nodes[0]?.fingerprint
  return (
    <div className="stack">
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {pages.root === undefined && !pages.error && <Loading />}
      {pages.isEmpty && (
        <Empty title="No board yet">
          <p>
            A board compares models on this robot: the first result of{' '}
            <code>
              hub rollout MODEL --robot {owner}/{repo} --publish
            </code>{' '}
            makes it.
          </p>
        </Empty>
      )}
      {pages.nodes.length > 0 && (
        <div className="row">
          {pages.nodes.map(({ task, fingerprint, results }) => (
            <button
              key={fingerprint}
              type="button"
              className="button small"
              aria-pressed={fingerprint === shown}
              onClick={() => setSearch({ board: fingerprint }, { replace: true })}
            >
              {task} <span className="dim">{shortBoard(fingerprint)}</span> ({resultsText(results)})
            </button>
          ))}
        </div>
      )}
      <LoadMore pages={pages} />
      {shown && <Board key={shown} owner={owner} repo={repo} fingerprint={shown} />}
    </div>
  )
}

function Board({ owner, repo, fingerprint }: Props & { readonly fingerprint: string }) {
  const { chosen, toggle } = useChosenResults()
  const variables = useMemo(() => ({ owner, repo, fingerprint, after: null }), [owner, repo, fingerprint])
  const pages = usePages({ query: rolloutBoardQuery, variables, field: 'repo', select: entriesOf })
  return (
    <section className="stack" aria-label="Board">
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {pages.root === undefined && !pages.error && <Loading />}
      <p className="dim small">
        Sorted by the lower end of the interval: ten of ten are less sure than 38 of 40. Each policy once, by its newest
        version and most seeds. A gate names the board by its fingerprint:
      </p>
      <Command text={fingerprint} label="fingerprint of the board" />
      <Conditions owner={owner} repo={repo} fingerprint={fingerprint} />
      {pages.isEmpty && <p className="dim">There is no result that you can see.</p>}
      <ChosenResults chosen={chosen} rows={pages.nodes} toggle={toggle} />
      {pages.nodes.length > 0 && (
        <RolloutTable
          rows={pages.nodes}
          shows="model"
          chosen={chosen}
          toggle={toggle}
          below={(row) => <KeptSeeds row={row} />}
        />
      )}
      <LoadMore pages={pages} />
    </section>
  )
}

/** All results of a board have the same, so one is read: they are up to 64 KiB. */
function Conditions({ owner, repo, fingerprint }: Props & { readonly fingerprint: string }) {
  const [{ data }] = useReading({ query: boardConditionsQuery, variables: { owner, repo, fingerprint } })
  const first = data?.repo?.rolloutBoard?.nodes[0]
  return first ? <p>{disturbanceText(first.conditions)}</p> : null
}
