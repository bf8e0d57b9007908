/** One endpoint: what it serves, from where, to whom, and what it costs. */

import { useMemo, useState } from 'react'
import { useSubscription } from 'urql'
import { commands } from '../../app/commands.ts'
import { useSearchParams } from '../../app/navigate.tsx'
import { accountsOf, useSession } from '../../app/session.tsx'
import { Action } from '../../ui/action.tsx'
import { Command } from '../../ui/command.tsx'
import { bytes, claimer, counted, duration, money, words } from '../../ui/format.ts'
import { Live } from '../../ui/live.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { NotThere } from '../../ui/not-there.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Empty, ErrorNotice } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { type Pages, usePages } from '../../ui/use-pages.ts'
import { RepoLink } from '../repos/repo-table.tsx'
import { ApprovalTable } from './approval-table.tsx'
import { ApproveDevice } from './approve-device.tsx'
import { endpointTitle } from './endpoint-title.ts'
import {
  type EndpointQuery,
  endpointChangedSubscription,
  endpointQuery,
  sessionsChangedSubscription,
  stopEndpointMutation,
} from './endpoints.graphql.ts'
import { LatencyChart } from './latency-chart.tsx'
import { SampleCall } from './sample-call.tsx'
import { SessionTable } from './session-table.tsx'

type Endpoint = NonNullable<EndpointQuery['endpoint']>
const sessionsOf = ({ sessions }: Endpoint) => sessions

export function Page({ params: { id } }: { readonly params: { readonly id: string } }) {
  const { viewer } = useSession()
  const variables = useMemo(() => ({ id }), [id])
  const pages = usePages({ query: endpointQuery, variables, field: 'endpoint', select: sessionsOf })
  const [{ data: change }] = useSubscription({ query: endpointChangedSubscription, variables: { id } })
  const [search] = useSearchParams()
  const asked = search.get('approve')
  const [isApproving, setApproving] = useState(asked !== null)
  const { root, error } = pages
  if (!root) return <NotThere what="endpoint" field={{ value: root, error }} retry={pages.refresh} />
  const endpoint: Endpoint = { ...root, ...change?.endpointUpdated }
  const isOver = endpoint.finishedAt !== null
  return (
    <>
      <PageHeader
        title={endpointTitle(endpoint)}
        about={
          <span className="row">
            <Status of={endpoint.status} /> {endpoint.owner.handle} · <Time at={endpoint.createdAt} />{' '}
            <span className="mono small">{endpoint.id}</span>
          </span>
        }
      >
        {!isOver && viewer?.person && (
          <button type="button" className="button primary" onClick={() => setApproving(true)}>
            Approve a device
          </button>
        )}
        {!isOver && (
          <Action
            mutation={stopEndpointMutation}
            variables={{ input: { endpointId: id } }}
            title="Stop endpoint"
            done="The endpoint is asked to stop."
            className="button danger"
          >
            <p>Open sessions are closed: robots stop getting actions from it.</p>
          </Action>
        )}
      </PageHeader>
      <Live query={sessionsChangedSubscription} owners={accountsOf(viewer)} changed={pages.refresh} />
      <div className="stack">
        {error && <ErrorNotice error={error} retry={pages.refresh} />}
        {endpoint.error && <p className="notice">{endpoint.error}</p>}
        <Facts endpoint={endpoint} />
        {endpoint.status === 'QUEUED' && endpoint.executor === 'WORKER' && (
          <Command label="serve it on your own machine" text={commands.serve(id)} />
        )}
        {!isOver && <SampleCall endpointId={id} />}
        <Approvals approvals={endpoint.approvals} changed={pages.refresh} />
        <Sessions pages={pages} />
      </div>
      {!isOver && (
        <ApproveDevice
          endpoint={endpoint}
          asked={asked}
          isOpen={isApproving}
          close={() => setApproving(false)}
          approved={pages.refresh}
        />
      )}
    </>
  )
}

interface ApprovalsProps extends Pick<Endpoint, 'approvals'> {
  readonly changed: () => void
}

function Approvals({ approvals, changed }: ApprovalsProps) {
  return (
    <>
      <h2>Approvals</h2>
      {approvals.nodes.length > 0 ? (
        <ApprovalTable approvals={approvals.nodes} of="device" changed={changed} />
      ) : (
        <Empty title="No device is approved">
          <p>A robot acts on this endpoint only while a person's approval is valid: approve a device first.</p>
        </Empty>
      )}
      {approvals.pageInfo.hasNextPage && <p className="dim small">These are the newest 20.</p>}
    </>
  )
}

type Session = Endpoint['sessions']['nodes'][number]

function Sessions({ pages }: { readonly pages: Pages<Endpoint | null, Session> }) {
  return (
    <>
      <h2>Sessions</h2>
      <LatencyChart sessions={pages.nodes} />
      {pages.nodes.length > 0 ? (
        <SessionTable sessions={pages.nodes} />
      ) : (
        <Empty title="No device has opened a session">
          <p>Approve a device, then start its driver with the token of the approval.</p>
        </Empty>
      )}
      <LoadMore pages={pages} />
    </>
  )
}

const stopReasons: Readonly<Record<string, string>> = {
  cancel: 'by a person or a key',
  budget: 'its budget is spent',
  max_hours: 'its time is over',
  spend_cap: 'the spend cap of the account is reached',
  dispatch: 'it could not be started',
}

function Facts({ endpoint }: { readonly endpoint: Endpoint }) {
  const { artifact } = endpoint
  return (
    <section className="panel" aria-label="Facts">
      <dl className="facts">
        <dt>Model</dt>
        <dd>
          <RepoLink fullName={endpoint.modelRepoRef.fullName} />
        </dd>
        {endpoint.model?.modelMeta?.robotName && (
          <>
            <dt>Robot</dt>
            <dd>{endpoint.model.modelMeta.robotName}</dd>
          </>
        )}
        <dt>Bytes</dt>
        <dd>
          <span className="mono">{artifact.path}</span>, {bytes(artifact.bytes)}
          <div className="mono dim small">sha256 {endpoint.modelSha256}</div>
        </dd>
        {endpoint.contractFingerprint && (
          <>
            <dt>Interface</dt>
            <dd className="mono">{endpoint.contractFingerprint}</dd>
          </>
        )}
        <dt>Control</dt>
        <dd>{words(endpoint.controlClass)}</dd>
        <dt>Address</dt>
        <dd className="mono">{endpoint.url ?? '–'}</dd>
        <dt>Server</dt>
        <dd>
          {claimer(endpoint)} <span className="dim">({endpoint.tier})</span>
        </dd>
        <dt>Served</dt>
        <dd>
          {counted(endpoint.chunksServed, 'chunk')} in {counted(endpoint.sessionsTotal, 'session')},{' '}
          {duration(endpoint.gpuSeconds)} of GPU
        </dd>
        <dt>95 % within</dt>
        <dd>
          {endpoint.serviceMsP95 === null ? '–' : `${Math.round(endpoint.serviceMsP95)} ms`} of service,{' '}
          {endpoint.rttMsP95 === null ? '–' : `${Math.round(endpoint.rttMsP95)} ms`} of round trip
        </dd>
        <dt>Cost</dt>
        <dd>
          {endpoint.priced ? money(endpoint.costUsd) : 'not priced'}
          {endpoint.priced && <span className="dim"> at {money(endpoint.rateUsdPerHour)} an hour</span>}
          {endpoint.budgetUsd !== null && <span className="dim">, budget {money(endpoint.budgetUsd)}</span>}
        </dd>
        {endpoint.stopReason && (
          <>
            <dt>Stopped</dt>
            <dd>{stopReasons[endpoint.stopReason] ?? words(endpoint.stopReason)}</dd>
          </>
        )}
      </dl>
    </section>
  )
}
