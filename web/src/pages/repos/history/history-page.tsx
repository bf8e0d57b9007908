/** The versions of a repo's files: changes, named snapshots, and a way back. */
import { useMemo } from 'react'
import { LoadMore } from '../../../ui/load-more.tsx'
import { Loading } from '../../../ui/states.tsx'
import { usePages } from '../../../ui/use-pages.ts'
import { RepoFrame, useCanWrite } from '../repo-frame.tsx'
import { Changes } from './changes.tsx'
import { Commits } from './commits.tsx'
import { type RepoHistoryQuery, repoHistoryQuery } from './history.graphql.ts'
import { Snapshots } from './snapshots.tsx'

interface Params {
  readonly owner: string
  readonly repo: string
}

const historyOf = ({ history }: NonNullable<RepoHistoryQuery['repo']>) => history

export function Page({ params }: { readonly params: Params }) {
  const { owner, repo } = params
  const canWrite = useCanWrite(owner)
  const variables = useMemo(() => ({ owner, repo, canWrite, after: null }), [owner, repo, canWrite])
  const pages = usePages({ query: repoHistoryQuery, variables, field: 'repo', select: historyOf })
  // Who may write is known later than the repo.
  const { kept: head } = pages
  return (
    <RepoFrame params={params} part="History" head={head} error={pages.error} retry={pages.refresh}>
      {head && (
        <div className="stack">
          <Snapshots
            owner={owner}
            repo={repo}
            snapshots={head.snapshots.nodes}
            canWrite={canWrite}
            changed={pages.refresh}
          />
          {pages.root === undefined && !pages.error && <Loading />}
          {pages.root && canWrite && (
            <Changes owner={owner} repo={repo} changes={pages.nodes} changed={pages.refresh} />
          )}
          {pages.root && !canWrite && <Commits owner={owner} repo={repo} commits={head.commits?.nodes ?? []} />}
          <LoadMore pages={pages} />
        </div>
      )}
    </RepoFrame>
  )
}
