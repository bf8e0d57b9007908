/** Runs that the caller sees, newest first; the list lives. Chosen ones are compared. */

import { useMemo } from 'react'
import { commands } from '../../app/commands.ts'
import { useSearchParams } from '../../app/navigate.tsx'
import { accountsOf, useSession } from '../../app/session.tsx'
import { Live } from '../../ui/live.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { StatusSelect } from '../../ui/status-select.tsx'
import { itself, usePages } from '../../ui/use-pages.ts'
import { CompareRuns } from './compare-runs.tsx'
import { COMPARED } from './compared.ts'
import { RunTable } from './run-table.tsx'
import { type RunsQueryVariables, runsChangedSubscription, runsQuery } from './runs.graphql.ts'
import { NewRunLink } from './submit/new-run-link.tsx'

const statuses = ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const

export function Page() {
  const [search, setSearch] = useSearchParams()
  const { viewer } = useSession()
  const owners = accountsOf(viewer)
  const status = statuses.find((one) => one === search.get('status')) ?? null
  const owner = search.get('owner')
  const chosen = (search.get('compare') ?? '').split(',').filter((id) => id.startsWith('run_'))
  const variables = useMemo<RunsQueryVariables>(() => ({ owner, status }), [owner, status])
  const pages = usePages({ query: runsQuery, variables, field: 'runs', select: itself })
  const set = (name: string, value: string) =>
    setSearch((before) => {
      const next = new URLSearchParams(before)
      if (value) next.set(name, value)
      else next.delete(name)
      return next
    })
  const choose = (id: string) =>
    set(
      'compare',
      (chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-COMPARED)).join(','),
    )
  return (
    <>
      <PageHeader title="Runs" about="Training runs that you can see, newest first">
        <select aria-label="Account" value={owner ?? ''} onChange={({ target }) => set('owner', target.value)}>
          <option value="">All accounts</option>
          {owners.map((handle) => (
            <option key={handle}>{handle}</option>
          ))}
        </select>
        <StatusSelect statuses={statuses} chosen={status} choose={(one) => set('status', one ?? '')} />
        {viewer && <NewRunLink />}
      </PageHeader>
      <Live query={runsChangedSubscription} owners={owners} changed={pages.refresh} />
      <div className="stack">
        {chosen.length > 1 && <CompareRuns ids={chosen.slice(0, COMPARED)} />}
        {chosen.length === 1 && <p className="panel dim">Choose another run to compare it with.</p>}
        <PageList
          pages={pages}
          empty={
            <Empty title="No run">
              <p>
                Submit one: <code>{commands.submit()}</code>
              </p>
            </Empty>
          }
        >
          <RunTable runs={pages.nodes} chosen={chosen} choose={choose} />
        </PageList>
      </div>
    </>
  )
}
