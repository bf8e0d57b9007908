/** Who did what to what in an account, with filters that the address keeps, and as a file. */
import { useMemo } from 'react'
import { useSearchParams } from '../../app/navigate.tsx'
import { accountsOf, useSession } from '../../app/session.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { itself, usePages } from '../../ui/use-pages.ts'
import { SignInFirst } from '../accounts/sign-in-first.tsx'
import './audit.css'
import { type AuditQueryVariables, auditQuery } from './audit.graphql.ts'
import { AuditTable } from './audit-table.tsx'
import { ExportLog } from './export-log.tsx'
import { FilterForm } from './filter-form.tsx'
import { filtersIn, searchOf, variablesOf } from './filters.ts'

const FIRST = 50

export function Page() {
  const { viewer } = useSession()
  return <SignInFirst title="Audit log">{viewer && <Log accounts={accountsOf(viewer)} />}</SignInFirst>
}

function Log({ accounts }: { readonly accounts: readonly string[] }) {
  const [search, setSearch] = useSearchParams()
  const [own = ''] = accounts
  const address = search.toString()
  const filters = useMemo(() => filtersIn(new URLSearchParams(address), own), [address, own])
  const variables = useMemo<AuditQueryVariables>(() => ({ ...variablesOf(filters), first: FIRST }), [filters])
  const pages = usePages({ query: auditQuery, variables, field: 'auditLog', select: itself })
  const ids = useMemo(() => pages.nodes.map(({ targetId }) => targetId), [pages.nodes])
  return (
    <>
      <PageHeader title="Audit log" about={`Who did what in ${filters.account}, newest first`}>
        <ExportLog variables={variables} />
      </PageHeader>
      <div className="stack">
        <FilterForm filters={filters} accounts={accounts} apply={(next) => setSearch(searchOf(next))} />
        <PageList
          pages={pages}
          empty={
            <Empty title="No entry matches">
              <p>Take a filter away, or choose more days.</p>
            </Empty>
          }
        >
          <AuditTable account={filters.account} entries={pages.nodes} ids={ids} />
        </PageList>
      </div>
    </>
  )
}
