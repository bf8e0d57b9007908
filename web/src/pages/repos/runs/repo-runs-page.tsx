/** Runs that use a repo as dataset, robot or output; live for those of its owner. */
import { useEffect, useMemo, useRef } from 'react'
import { useSubscription } from 'urql'
import { useSearchParams } from '../../../app/navigate.tsx'
import { words } from '../../../ui/format.ts'
import { LoadMore } from '../../../ui/load-more.tsx'
import { Empty } from '../../../ui/states.tsx'
import { usePages } from '../../../ui/use-pages.ts'
import { RepoFrame, useIsMember } from '../repo-frame.tsx'
import { type RepoRunsQuery, repoRunsChangedSubscription, repoRunsQuery } from './repo-runs.graphql.ts'
import { RunTable } from './run-table.tsx'

interface Params {
  readonly owner: string
  readonly repo: string
}

const states = ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const
const runsOf = ({ runs }: NonNullable<RepoRunsQuery['repo']>) => runs

export function Page({ params }: { readonly params: Params }) {
  const { owner, repo } = params
  const [search, setSearch] = useSearchParams()
  const status = states.find((one) => one === search.get('status')) ?? null
  const variables = useMemo(() => ({ owner, repo, status, after: null }), [owner, repo, status])
  const pages = usePages({ query: repoRunsQuery, variables, field: 'repo', select: runsOf })
  const isMember = useIsMember(owner)
  const [{ data: change }] = useSubscription({
    query: repoRunsChangedSubscription,
    variables: { owner },
    pause: !isMember,
  })
  const again = useRef(pages.refresh)
  again.current = pages.refresh
  const first = useRef(true)
  const cursor = change?.runsUpdated?.cursor
  useEffect(() => {
    // The first event is the state that the page reads anyway.
    if (cursor !== undefined && !first.current) again.current()
    if (cursor !== undefined) first.current = false
  }, [cursor])
  return (
    <RepoFrame params={params} part="Runs" head={pages.root} error={pages.error} retry={pages.refresh}>
      <div className="stack">
        <div className="row">
          <select
            aria-label="Status"
            value={status ?? ''}
            onChange={({ target }) => setSearch(target.value ? { status: target.value } : {}, { replace: true })}
          >
            <option value="">Any status</option>
            {states.map((one) => (
              <option key={one} value={one}>
                {words(one)}
              </option>
            ))}
          </select>
        </div>
        {pages.nodes.length > 0 ? (
          <RunTable runs={pages.nodes} />
        ) : (
          <Empty title="No run">
            <p>No run that you can see uses this repo: submit one that names it.</p>
          </Empty>
        )}
        <LoadMore pages={pages} />
      </div>
    </RepoFrame>
  )
}
