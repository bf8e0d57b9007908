/** The versions that readers of a repo see: the current one, and those that snapshots name. */
import { Link } from '../../../app/navigate.tsx'
import { Time } from '../../../ui/time.tsx'
import type { RepoHistoryQuery } from './history.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly commits: NonNullable<NonNullable<RepoHistoryQuery['repo']>['commits']>['nodes']
}

export function Commits({ owner, repo, commits }: Props) {
  return (
    <section className="panel stack">
      <div className="row spread">
        <h2>Versions</h2>
        <Link to="repoCompare" params={{ owner, repo }} className="button small">
          Compare
        </Link>
      </div>
      <ul className="lines">
        {commits.map(({ commitId, message, time, snapshots, isCurrent }, index) => (
          <li key={commitId} className="row spread">
            <span>
              <code title={commitId}>{commitId.slice(0, 7)}</code>{' '}
              {(isCurrent ? ['current', ...snapshots] : snapshots).map((name) => (
                <span key={name} className="badge good">
                  {name}
                </span>
              ))}{' '}
              <span className="dim small">
                <Time at={time} />
              </span>
              {message !== null && <p className="change-message">{message}</p>}
            </span>
            {commits[index + 1] && (
              <Link
                to="repoCompare"
                params={{ owner, repo }}
                query={{ from: commits[index + 1]?.commitId ?? '', to: commitId }}
                className="button small"
              >
                Changes
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
