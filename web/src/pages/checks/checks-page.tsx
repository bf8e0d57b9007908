/** Checks of robots and models, newest first; the list lives. */

import { useMemo } from 'react'
import { commands } from '../../app/commands.ts'
import { Link, useSearchParams } from '../../app/navigate.tsx'
import { accountsOf, useSession } from '../../app/session.tsx'
import { words } from '../../ui/format.ts'
import { Live } from '../../ui/live.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { NoneOfStatus, StatusSelect } from '../../ui/status-select.tsx'
import { Time } from '../../ui/time.tsx'
import { itself, usePages } from '../../ui/use-pages.ts'
import { SignInUnlessKnown } from '../accounts/sign-in-first.tsx'
import { RepoLink } from '../repos/repo-table.tsx'
import { tookOf } from '../runs/run-table.tsx'
import { CheckBadge } from './check-badge.tsx'
import {
  type ChecksQuery,
  type ChecksQueryVariables,
  checksChangedSubscription,
  checksQuery,
} from './checks.graphql.ts'

const statuses = ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const

export function Page() {
  return (
    <SignInUnlessKnown title="Checks">
      <Checks />
    </SignInUnlessKnown>
  )
}

function Checks() {
  const [search, setSearch] = useSearchParams()
  const { viewer } = useSession()
  const status = statuses.find((one) => one === search.get('status')) ?? null
  const variables = useMemo<ChecksQueryVariables>(() => ({ status }), [status])
  const pages = usePages({ query: checksQuery, variables, field: 'robotChecks', select: itself })
  return (
    <>
      <PageHeader title="Checks" about="Whether a robot or model is what it claims to be">
        <StatusSelect statuses={statuses} chosen={status} choose={(one) => setSearch(one ? { status: one } : {})} />
      </PageHeader>
      <Live query={checksChangedSubscription} owners={accountsOf(viewer)} changed={pages.refresh} />
      <div className="stack">
        <PageList
          pages={pages}
          empty={
            status ? (
              <NoneOfStatus what="check" status={status} />
            ) : (
              <Empty title="No check">
                <p>
                  Open a robot and choose Check this robot, or check a folder from a terminal:{' '}
                  <code>{commands.check()}</code>
                </p>
              </Empty>
            )
          }
        >
          <CheckTable checks={pages.nodes} />
        </PageList>
      </div>
    </>
  )
}

function CheckTable({ checks }: { readonly checks: NonNullable<ChecksQuery['robotChecks']>['nodes'] }) {
  return (
    <div className="panel flush table-wrap">
      <table>
        <thead>
          <tr>
            <th>Check</th>
            <th>Repo</th>
            <th>Result</th>
            <th className="number">Took</th>
            <th>Created</th>
          </tr>
        </thead>
        <tbody>
          {checks.map((check) => {
            const repo = check.robotRepoRef ?? check.modelRepoRef
            return (
              <tr key={check.id}>
                <td>
                  <Link to="check" params={{ id: check.id }}>
                    {words(check.kind)} check
                  </Link>
                  <div className="dim small">
                    {check.owner.handle} · {words(check.executor)}
                  </div>
                </td>
                <td>{repo ? <RepoLink fullName={repo.fullName} /> : <span className="dim">uploaded files</span>}</td>
                <td>
                  <CheckBadge check={check} /> {check.published && <span className="badge good">published</span>}
                </td>
                <td className="number nowrap">{tookOf(check)}</td>
                <td className="nowrap">
                  <Time at={check.createdAt} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
