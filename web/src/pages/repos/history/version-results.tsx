/** The results of two versions of a model beside each other: for each robot and task both intervals, then the seeds. */
import { useMemo, useState } from 'react'
import { LoadMore } from '../../../ui/load-more.tsx'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { usePages } from '../../../ui/use-pages.ts'
import { RepoLink } from '../repo-table.tsx'
import { shortBoard } from '../rollouts/board-results.ts'
import { ComparedRollouts } from '../rollouts/compared-rollouts.tsx'
import { KeptSeeds } from '../rollouts/kept-seeds.tsx'
import type { RolloutRowFragment } from '../rollouts/rollouts.graphql.ts'
import { ScoreCells, ScoreHeads } from '../rollouts/score-cells.tsx'
import { type VersionResultsQuery, versionResultsQuery } from './compare.graphql.ts'
import { type PairedResults, pairedResults, verdictOf } from './paired-results.ts'

export interface VersionPair {
  readonly owner: string
  readonly repo: string
  readonly from: string
  readonly to: string
}

const rolloutsOf = ({ rollouts }: NonNullable<VersionResultsQuery['repo']>) => rollouts

export function VersionResults({ owner, repo, from, to }: VersionPair) {
  const ofFrom = useMemo(() => ({ owner, repo, version: from, after: null }), [owner, repo, from])
  const ofTo = useMemo(() => ({ owner, repo, version: to, after: null }), [owner, repo, to])
  const one = usePages({ query: versionResultsQuery, variables: ofFrom, field: 'repo', select: rolloutsOf })
  const other = usePages({ query: versionResultsQuery, variables: ofTo, field: 'repo', select: rolloutsOf })
  const pairs = useMemo(() => pairedResults(one.nodes, other.nodes), [one.nodes, other.nodes])
  const failed = [one, other].find(({ error }) => error)
  const isLoading = [one, other].some(({ root }) => root === undefined)
  return (
    <section className="stack" aria-label="Results">
      <h2>Results of rollouts</h2>
      {failed?.error && <ErrorNotice error={failed.error} retry={failed.refresh} />}
      {isLoading && !failed && <Loading />}
      {one.isEmpty && other.isEmpty && (
        <p className="panel dim">
          Neither version has a result that you can see:{' '}
          <code>
            hub rollout {owner}/{repo}@{to} --robot OWNER/ROBOT -n 100 --publish
          </code>{' '}
          makes one.
        </p>
      )}
      {pairs.map((pair, index) => (
        <Board key={pair.key} pair={pair} isFirst={index === 0} />
      ))}
      <LoadMore pages={one.hasMore ? one : other} />
    </section>
  )
}

interface BoardProps {
  readonly pair: PairedResults<RolloutRowFragment>
  readonly isFirst: boolean
}

const verdicts = {
  better: 'The intervals do not touch: the later version succeeds more often.',
  worse: 'The intervals do not touch: the later version succeeds less often.',
  open: 'The intervals overlap, so these seeds do not say which version succeeds more often.',
}

function Board({ pair: { robot, task, from, to }, isFirst }: BoardProps) {
  const fingerprint = (from ?? to)?.fingerprint ?? ''
  const [isOpen, setOpen] = useState(isFirst)
  return (
    <section className="panel stack" aria-label={`${task} on ${robot}`}>
      <h3>
        {task} <span className="dim">{shortBoard(fingerprint)}</span> on <RepoLink fullName={robot} />
      </h3>
      <div className="table-wrap">
        <table>
          <thead>
            <tr>
              <th>Version</th>
              <ScoreHeads />
              <th>Seeds</th>
            </tr>
          </thead>
          <tbody>
            <Side side="From" row={from} />
            <Side side="To" row={to} />
          </tbody>
        </table>
      </div>
      {from && to && (
        <>
          <p className="small">{verdicts[verdictOf(from, to)]}</p>
          {from.id === to.id ? (
            <p className="small dim">Both versions have the same policy, so this is one result.</p>
          ) : (
            <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
              <summary className="small">Seed by seed</summary>
              {isOpen && <ComparedRollouts rows={[from, to]} />}
            </details>
          )}
        </>
      )}
    </section>
  )
}

interface SideProps {
  readonly side: string
  readonly row: RolloutRowFragment | null
}

function Side({ side, row }: SideProps) {
  if (!row)
    return (
      <tr>
        <td>{side}</td>
        <td colSpan={4} className="dim">
          no result under these conditions
        </td>
      </tr>
    )
  const { firstSeed, seeds } = row
  return (
    <tr>
      <td>{side}</td>
      <ScoreCells row={row} />
      <td>
        <span className="nowrap">
          {firstSeed} to {firstSeed + seeds - 1}
        </span>
        <KeptSeeds row={row} />
      </td>
    </tr>
  )
}
