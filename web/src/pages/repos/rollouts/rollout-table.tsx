/** Results of rollouts: whose, where, and the interval of their success. */
import type { ReactNode } from 'react'
import { Link } from '../../../app/navigate.tsx'
import { repoParts } from '../../../ui/repo-parts.ts'
import { Time } from '../../../ui/time.tsx'
import { RepoLink } from '../repo-table.tsx'
import { shortBoard } from './board-results.ts'
import { disturbanceText } from './disturbance-text.ts'
import { resultName } from './result-name.ts'
import type { RolloutRowFragment } from './rollouts.graphql.ts'
import { ScoreCells, ScoreHeads } from './score-cells.tsx'

/** With its disturbance where the page does not say it of all rows together. */
interface Row extends RolloutRowFragment {
  readonly disturbance?: unknown
}

interface Props {
  readonly rows: readonly Row[]
  /** Which of both repos the page is not about. */
  readonly shows: 'model' | 'robot'
  /** The names of the results that are compared: at most two. */
  readonly chosen: readonly string[]
  readonly toggle: (name: string) => void
  /** Below the row of a result. */
  readonly below?: (row: RolloutRowFragment) => ReactNode
}

export function RolloutTable({ rows, shows, chosen, toggle, below }: Props) {
  return (
    <div className="panel flush table-wrap">
      <table>
        <thead>
          <tr>
            <th>Compare</th>
            <th>{shows === 'model' ? 'Model' : 'Robot and task'}</th>
            <ScoreHeads />
            <th>Version</th>
            <th>Published</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>
                <input
                  type="checkbox"
                  aria-label={compareLabel(row)}
                  checked={chosen.includes(resultName(row))}
                  onChange={() => toggle(resultName(row))}
                />
              </td>
              <td>
                <RepoLink fullName={shows === 'model' ? row.model : row.robot} />
                <div className="small dim">{shows === 'model' ? row.policyPath : <BoardLink row={row} />}</div>
                {row.disturbance !== undefined && <div className="small dim">{disturbanceText(row)}</div>}
                {below?.(row)}
              </td>
              <ScoreCells row={row} />
              <td className="nowrap">
                <VersionLink row={row} />
                <div className="small dim">
                  seeds {row.firstSeed} to {row.firstSeed + row.seeds - 1}
                </div>
              </td>
              <td className="nowrap">
                <Time at={row.createdAt} />
                {row.creator && <div className="small">{row.creator.handle}</div>}
                {row.isByAgent && <div className="small dim">by an agent: gates do not count it</div>}
                <div className="small dim">{softwareText(row.software)}</div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function VersionLink({ row: { model, modelCommit } }: { readonly row: RolloutRowFragment }) {
  const { owner, repo } = repoParts(model)
  return (
    <Link to="repoFiles" params={{ owner, repo, path: '' }} query={{ at: modelCommit }}>
      {modelCommit.slice(0, 7)}
    </Link>
  )
}

/** Two results of one model differ by their seeds. */
const compareLabel = ({ model, modelCommit, robot, task, firstSeed, seeds }: RolloutRowFragment): string =>
  `Compare ${model}@${modelCommit.slice(0, 7)} on ${robot}, ${task}, seeds ${firstSeed} to ${firstSeed + seeds - 1}`

const softwareText = (software: unknown): string =>
  Object.entries(typeof software === 'object' && software !== null ? software : {})
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')

/** The board says under which conditions the result was made. */
function BoardLink({ row: { robot, task, fingerprint } }: { readonly row: RolloutRowFragment }) {
  const { owner, repo } = repoParts(robot)
  return (
    <Link to="repoRollouts" params={{ owner, repo }} query={{ board: fingerprint }}>
      {task} {shortBoard(fingerprint)}
    </Link>
  )
}
