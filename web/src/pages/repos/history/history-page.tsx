/** The states of a repo's files: changes, named snapshots, what differs, and a way back. */
import { useMemo } from 'react'
import { useSearchParams } from '../../../app/navigate.tsx'
import { LoadMore } from '../../../ui/load-more.tsx'
import { usePages } from '../../../ui/use-pages.ts'
import { RepoFrame, useCanWrite } from '../repo-frame.tsx'
import { Changes } from './changes.tsx'
import { Diff } from './diff.tsx'
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
  const [search] = useSearchParams()
  const from = search.get('from')
  const { root: head } = pages
  return (
    <RepoFrame params={params} part="History" head={head} error={pages.error} retry={pages.refresh}>
      {head && (
        <div className="stack">
          {from !== null && <Diff owner={owner} repo={repo} from={from} to={search.get('to')} />}
          <Snapshots
            owner={owner}
            repo={repo}
            snapshots={head.snapshots.nodes}
            canWrite={canWrite}
            changed={pages.refresh}
          />
          {canWrite && <Changes owner={owner} repo={repo} changes={pages.nodes} changed={pages.refresh} />}
          <LoadMore pages={pages} />
        </div>
      )}
    </RepoFrame>
  )
}
