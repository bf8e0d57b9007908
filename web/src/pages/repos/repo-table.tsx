/** Repos as rows: what it is, how large, and when it changed. */
import { Link } from '../../app/navigate.tsx'
import { bytes, count, words } from '../../ui/format.ts'
import { repoParts } from '../../ui/repo-parts.ts'
import { Time } from '../../ui/time.tsx'
import { tagsOf } from './repo-frame.tsx'
import { RepoPicture } from './repo-picture.tsx'
import type { ReposQuery } from './repos.graphql.ts'

export type RepoRow = NonNullable<ReposQuery['repos']>['nodes'][number]

export function RepoTable({ repos }: { readonly repos: readonly RepoRow[] }) {
  // A list of repos without a picture has no empty places for them.
  const hasPictures = repos.some(({ picture }) => picture !== null)
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
                <div className={hasPictures ? 'repo-cell' : undefined}>
                  {hasPictures && <RepoPicture picture={repo.picture} alt="" className="repo-thumb" />}
                  <div>
                    <RepoLink fullName={repo.fullName} />{' '}
                    {repo.visibility === 'PRIVATE' && <span className="badge">private</span>}
                    {repo.description && <div className="dim small">{repo.description}</div>}
                    <Tags repo={repo} />
                  </div>
                </div>
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

function Tags({ repo }: { readonly repo: RepoRow }) {
  const tags = tagsOf(repo).slice(0, 6)
  if (tags.length === 0) return null
  return (
    <div className="row small">
      {tags.map((tag) => (
        <span key={tag} className="badge">
          {tag}
        </span>
      ))}
    </div>
  )
}

/** A link to a repo by its full name. */
export function RepoLink({ fullName }: { readonly fullName: string }) {
  const { owner, repo } = repoParts(fullName)
  return (
    <Link to="repo" params={{ owner, repo }}>
      <span className="dim">{owner}/</span>
      {repo}
    </Link>
  )
}
