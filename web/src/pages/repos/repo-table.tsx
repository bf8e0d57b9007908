/** Repos as rows: what it is, how large, and when it changed. */
import { Link } from '../../app/navigate.tsx'
import { bytes, count, words } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import { tagsOf } from './repo-frame.tsx'
import type { ReposQuery } from './repos.graphql.ts'

export type RepoRow = NonNullable<ReposQuery['repos']>['nodes'][number]

export function RepoTable({ repos }: { readonly repos: readonly RepoRow[] }) {
  return (
    <div className="panel flush table-wrap">
      <table>
        <thead>
          <tr>
            <th>Repo</th>
            <th>Kind</th>
            <th className="number">Files</th>
            <th className="number">Size</th>
            <th>Updated</th>
          </tr>
        </thead>
        <tbody>
          {repos.map((repo) => (
            <tr key={repo.id}>
              <td>
                <RepoLink fullName={repo.fullName} />{' '}
                {repo.visibility === 'PRIVATE' && <span className="badge">private</span>}
                {repo.description && <div className="dim small">{repo.description}</div>}
                {tagsOf(repo).length > 0 && (
                  <div className="row small">
                    {tagsOf(repo)
                      .slice(0, 6)
                      .map((tag) => (
                        <span key={tag} className="badge">
                          {tag}
                        </span>
                      ))}
                  </div>
                )}
              </td>
              <td>{words(repo.kind)}</td>
              <td className="number">{count(repo.fileSummary.count)}</td>
              <td className="number nowrap">{bytes(repo.fileSummary.totalBytes)}</td>
              <td className="nowrap">
                <Time at={repo.updatedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A link to a repo by its full name. */
export function RepoLink({ fullName }: { readonly fullName: string }) {
  const [owner = '', repo = ''] = fullName.split('/')
  return (
    <Link to="repo" params={{ owner, repo }}>
      <span className="dim">{owner}/</span>
      {repo}
    </Link>
  )
}
