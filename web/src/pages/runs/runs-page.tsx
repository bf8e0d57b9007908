/** Runs that the caller sees, as the address says; the list lives. Chosen ones are compared. */

import { useMemo } from 'react'
import { commands } from '../../app/commands.ts'
import { useSearchParams } from '../../app/navigate.tsx'
import { accountsOf, useSession } from '../../app/session.tsx'
import { Live } from '../../ui/live.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { itself, usePages } from '../../ui/use-pages.ts'
import { SignInUnlessKnown } from '../accounts/sign-in-first.tsx'
import { CompareRuns } from './compare-runs.tsx'
import { COMPARED } from './compared.ts'
import { RunFilters } from './run-filters.tsx'
import { RunTable } from './run-table.tsx'
import { sortedBy, viewOf, withMember } from './run-view.ts'
import { runsChangedSubscription, runsQuery } from './runs.graphql.ts'
import { NewRunLink } from './submit/new-run-link.tsx'

export function Page() {
  return (
    <SignInUnlessKnown title="Runs">
      <Runs />
    </SignInUnlessKnown>
  )
}

function Runs() {
  const [search, setSearch] = useSearchParams()
  const { viewer } = useSession()
  const owners = accountsOf(viewer)
  const key = search.toString()
  const view = useMemo(() => viewOf(new URLSearchParams(key)), [key])
  const { variables } = view
  const chosen = (search.get('compare') ?? '').split(',').filter((id) => id.startsWith('run_'))
  const pages = usePages({ query: runsQuery, variables, field: 'runs', select: itself })
  const change = (edit: (before: URLSearchParams) => URLSearchParams) => setSearch(edit, { replace: true })
  const choose = (id: string) => {
    const next = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-COMPARED)
    setSearch((before) => withMember(before, 'compare', next.join(',')))
  }
  const isFiltered = [...search.keys()].some((name) => !['compare', 'columns', 'metric'].includes(name))
  return (
    <>
      <PageHeader title="Runs" about="Training runs that you can see">
        {viewer && <NewRunLink />}
      </PageHeader>
      <Live query={runsChangedSubscription} owners={owners} changed={pages.refresh} />
      <div className="stack">
        <RunFilters search={search} view={view} owners={owners} change={change} />
        {chosen.length > 1 && <CompareRuns ids={chosen.slice(0, COMPARED)} />}
        {chosen.length === 1 && <p className="panel dim">Choose another run to compare it with.</p>}
        <PageList
          pages={pages}
          empty={
            isFiltered ? (
              <Empty title="No run matches">
                <p>Clear a filter, or sort by a metric that these runs have.</p>
              </Empty>
            ) : (
              <Empty title="No run">
                <p>
                  Choose New run above, or submit one from a terminal: <code>{commands.submit()}</code>
                </p>
                <p>
                  Of a trainer that you start yourself: <code>{commands.track()}</code>
                </p>
              </Empty>
            )
          }
        >
          <RunTable
            runs={pages.nodes}
            columns={view.columns}
            metrics={view.metrics}
            sort={variables}
            sortBy={(metric, isAscending) => change((before) => sortedBy(before, metric, isAscending))}
            chosen={chosen}
            choose={choose}
          />
        </PageList>
      </div>
    </>
  )
}
