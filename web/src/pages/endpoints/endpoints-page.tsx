/** Inference endpoints, newest first; the list lives. */

import { useMemo, useState } from 'react'
import { Link, useSearchParams } from '../../app/navigate.tsx'
import { accountsOf, useSession } from '../../app/session.tsx'
import { count, money, words } from '../../ui/format.ts'
import { Live } from '../../ui/live.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { NoneOfStatus, StatusSelect } from '../../ui/status-select.tsx'
import { Time } from '../../ui/time.tsx'
import { itself, usePages } from '../../ui/use-pages.ts'
import { SignInUnlessKnown } from '../accounts/sign-in-first.tsx'
import { RepoLink } from '../repos/repo-table.tsx'
import { endpointTitle } from './endpoint-title.ts'
import {
  type EndpointsQuery,
  type EndpointsQueryVariables,
  endpointsChangedSubscription,
  endpointsQuery,
} from './endpoints.graphql.ts'
import { ServeModel } from './serve-model.tsx'

const statuses = ['QUEUED', 'RUNNING', 'STOPPED', 'FAILED'] as const

export function Page() {
  return (
    <SignInUnlessKnown title="Endpoints">
      <Endpoints />
    </SignInUnlessKnown>
  )
}

function Endpoints() {
  const [search, setSearch] = useSearchParams()
  const { viewer } = useSession()
  const status = statuses.find((one) => one === search.get('status')) ?? null
  const variables = useMemo<EndpointsQueryVariables>(() => ({ status }), [status])
  const model = search.get('model')
  const [isServing, setServing] = useState(model !== null)
  // Closed, the model is no longer chosen: an address that names it opens the form.
  const close = () => {
    setServing(false)
    if (model !== null) setSearch(status ? { status } : {})
  }
  const pages = usePages({ query: endpointsQuery, variables, field: 'endpoints', select: itself })
  return (
    <>
      <PageHeader title="Endpoints" about="Policies that are served to real robots">
        <Link to="sessions" params={{}} className="button">
          Devices and sessions
        </Link>
        {viewer && (
          <button type="button" className="button primary" onClick={() => setServing(true)}>
            Serve a model
          </button>
        )}
        <StatusSelect statuses={statuses} chosen={status} choose={(one) => setSearch(one ? { status: one } : {})} />
      </PageHeader>
      <Live query={endpointsChangedSubscription} owners={accountsOf(viewer)} changed={pages.refresh} />
      <div className="stack">
        <PageList
          pages={pages}
          empty={
            status ? (
              <NoneOfStatus what="endpoint" status={status} />
            ) : (
              <Empty title="No endpoint">
                <p>Choose Serve a model above, or on the page of a model.</p>
              </Empty>
            )
          }
        >
          <EndpointTable endpoints={pages.nodes} />
        </PageList>
      </div>
      <ServeModel owners={accountsOf(viewer)} model={model} isOpen={isServing} close={close} />
    </>
  )
}

function EndpointTable({ endpoints }: { readonly endpoints: NonNullable<EndpointsQuery['endpoints']>['nodes'] }) {
  return (
    <div className="panel flush table-wrap">
      <table>
        <thead>
          <tr>
            <th>Endpoint</th>
            <th>Model</th>
            <th>Status</th>
            <th className="number">Open sessions</th>
            <th className="number">Cost</th>
            <th>Created</th>
          </tr>
        </thead>
        <tbody>
          {endpoints.map((endpoint) => (
            <tr key={endpoint.id}>
              <td>
                <Link to="endpoint" params={{ id: endpoint.id }}>
                  {endpointTitle(endpoint)}
                </Link>
                <div className="dim small mono wide-only">{endpoint.id}</div>
                <div className="dim small">
                  {endpoint.owner.handle} · {words(endpoint.executor)} · {endpoint.tier}
                </div>
              </td>
              <td>
                <RepoLink fullName={endpoint.modelRepoRef.fullName} />
              </td>
              <td>
                <Status of={endpoint.status} />
              </td>
              <td className="number">{count(endpoint.sessionsOpen)}</td>
              <td className="number">{endpoint.priced ? money(endpoint.costUsd) : '–'}</td>
              <td className="nowrap">
                <Time at={endpoint.createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
