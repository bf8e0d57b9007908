/** What agents want to spend, and what was decided. Live. */
import { useMemo } from 'react'
import { useSearchParams } from '../../app/navigate.tsx'
import { accountsOf, useSession } from '../../app/session.tsx'
import { Live } from '../../ui/live.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { NoneOfStatus, StatusSelect } from '../../ui/status-select.tsx'
import { itself, usePages } from '../../ui/use-pages.ts'
import { SignInUnlessKnown } from '../accounts/sign-in-first.tsx'
import { HoldTable } from './hold-table.tsx'
import { type HoldsQueryVariables, holdsChangedSubscription, holdsQuery } from './holds.graphql.ts'

const statuses = ['PENDING', 'APPROVED', 'DENIED', 'EXPIRED', 'CANCELED'] as const

export function Page() {
  return (
    <SignInUnlessKnown title="Approvals">
      <Holds />
    </SignInUnlessKnown>
  )
}

function Holds() {
  const [search, setSearch] = useSearchParams()
  const { viewer } = useSession()
  const status = statuses.find((one) => one === search.get('status')) ?? null
  const variables = useMemo<HoldsQueryVariables>(() => ({ status }), [status])
  const pages = usePages({ query: holdsQuery, variables, field: 'spendHolds', select: itself })
  return (
    <>
      <PageHeader title="Approvals" about="An agent's cloud spend is held until a person says yes.">
        <StatusSelect statuses={statuses} chosen={status} choose={(one) => setSearch(one ? { status: one } : {})} />
      </PageHeader>
      <Live query={holdsChangedSubscription} owners={accountsOf(viewer)} changed={pages.refresh} />
      <div className="stack">
        <PageList
          pages={pages}
          empty={
            status && status !== 'PENDING' ? (
              <NoneOfStatus what="request" status={status} />
            ) : (
              <Empty title="No requests to decide">
                <p>
                  When an agent asks for hosted work, it appears here and in the bell at the top. Nothing is left to do.
                </p>
              </Empty>
            )
          }
        >
          <HoldTable holds={pages.nodes} />
        </PageList>
      </div>
    </>
  )
}
