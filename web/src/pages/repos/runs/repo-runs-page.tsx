/** Runs that use a repo as dataset, robot or output; live for those of its owner. */
import { useMemo } from 'react'
import { useSearchParams } from '../../../app/navigate.tsx'
import { words } from '../../../ui/format.ts'
import { Live } from '../../../ui/live.tsx'
import { LoadMore } from '../../../ui/load-more.tsx'
import { Empty, Loading } from '../../../ui/states.tsx'
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
  return (
    <RepoFrame params={params} part="Runs" head={pages.kept} error={pages.error} retry={pages.refresh}>
      <Live query={repoRunsChangedSubscription} owners={isMember ? [owner] : []} changed={pages.refresh} />
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
        {pages.root === undefined && !pages.error && <Loading />}
        {pages.nodes.length > 0 && <RunTable runs={pages.nodes} />}
        {pages.isEmpty && (
          <Empty title="No run">
            <p>No run that you can see uses this repo: submit one that names it.</p>
          </Empty>
        )}
        <LoadMore pages={pages} />
      </div>
    </RepoFrame>
  )
}
