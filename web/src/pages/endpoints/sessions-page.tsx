/** Devices, whether a person has approved them, and their newest sessions. Live. */

import { useMemo, useState } from 'react'
import { useSearchParams } from '../../app/navigate.tsx'
import { accountsOf, useSession } from '../../app/session.tsx'
import { Live } from '../../ui/live.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { rootField } from '../../ui/root-field.ts'
import { Empty, ErrorNotice, Loading } from '../../ui/states.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { SignInUnlessKnown } from '../accounts/sign-in-first.tsx'
import { RepoLink } from '../repos/repo-table.tsx'
import { ApprovalTable } from './approval-table.tsx'
import { deviceSessionsQuery, sessionsChangedSubscription } from './endpoints.graphql.ts'
import { RegisterDevice } from './register-device.tsx'
import { SessionTable } from './session-table.tsx'

export function Page() {
  return (
    <SignInUnlessKnown title="Devices and sessions">
      <Devices />
    </SignInUnlessKnown>
  )
}

function Devices() {
  const { viewer } = useSession()
  const owners = accountsOf(viewer)
  const variables = useMemo(() => ({ owner: null }), [])
  const [answer, refresh] = useReading({ query: deviceSessionsQuery, variables })
  const [search] = useSearchParams()
  const [isNew, setNew] = useState(search.has('register'))
  const { value: devices, error } = rootField(answer, 'devices')
  return (
    <>
      <PageHeader
        title="Devices and sessions"
        about="A robot acts on an endpoint only while a person's signed approval is valid."
      >
        {viewer?.person && (
          <button type="button" className="button primary" onClick={() => setNew(true)}>
            Register device
          </button>
        )}
      </PageHeader>
      <Live query={sessionsChangedSubscription} owners={owners} changed={refresh} />
      {error && <ErrorNotice error={error} retry={refresh} />}
      {devices === undefined && !error && <Loading />}
      {devices?.nodes.length === 0 && (
        <Empty title="No device">
          <p>Register each robot that is to act on an endpoint, with the button above.</p>
        </Empty>
      )}
      <div className="stack">
        {devices?.nodes.map((device) => {
          const { nodes: approvals } = device.approvals
          return (
            <section key={device.id} className="stack" aria-label={device.name}>
              <div className="row spread">
                <h2>{device.name}</h2>
                <span className="row">
                  <span className="dim">{device.owner.handle}</span>
                  {device.robotRepo && <RepoLink fullName={device.robotRepo.fullName} />}
                </span>
              </div>
              {approvals.length > 0 ? (
                <ApprovalTable approvals={approvals} of="endpoint" changed={refresh} />
              ) : (
                <p className="dim">Not approved yet: open an endpoint and choose Approve a device.</p>
              )}
              {device.sessions.nodes.length > 0 ? (
                <SessionTable sessions={device.sessions.nodes} />
              ) : (
                <p className="dim">It has opened no session: its driver does, with the token of an approval.</p>
              )}
            </section>
          )
        })}
      </div>
      {owners.length > 0 && (
        <RegisterDevice owners={owners} isOpen={isNew} close={() => setNew(false)} registered={refresh} />
      )}
    </>
  )
}
