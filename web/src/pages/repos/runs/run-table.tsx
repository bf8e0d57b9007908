/** Runs as rows: state, account, duration and cost. */
import { Link } from '../../../app/navigate.tsx'
import { duration, money } from '../../../ui/format.ts'
import { Status } from '../../../ui/status.tsx'
import { Time } from '../../../ui/time.tsx'
import type { RunOfRepoFragment } from './repo-runs.graphql.ts'

/** `cloud` says only that this hub has the run: it may be executed on a machine of the account. */
const kinds = { CLOUD: 'submitted here', EXTERNAL: 'trained elsewhere', ORCHESTRATION: 'planner' } as const

export function RunTable({ runs }: { readonly runs: readonly RunOfRepoFragment[] }) {
  return (
    <div className="panel flush table-wrap">
      <table>
        <thead>
          <tr>
            <th>Run</th>
            <th>Status</th>
            <th>Account</th>
            <th>Created</th>
            <th className="number">Took</th>
            <th className="number">Cost</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <td>
                <Link to="run" params={{ id: run.id }}>
                  {run.displayName}
                </Link>
                <div className="dim small">{kinds[run.kind]}</div>
              </td>
              <td>
                <Status of={run.status} />
              </td>
              <td>
                <Link to="account" params={{ handle: run.owner.handle }}>
                  {run.owner.handle}
                </Link>
              </td>
              <td className="nowrap">
                <Time at={run.createdAt} />
              </td>
              <td className="number nowrap">{took(run)}</td>
              <td className="number nowrap">{run.executor === 'HOSTED' ? money(run.costUsd) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function took({ startedAt, finishedAt }: RunOfRepoFragment): string {
  if (startedAt === null) return '–'
  return duration((Date.parse(finishedAt ?? new Date().toISOString()) - Date.parse(startedAt)) / 1000)
}
