/** Devices, whether a person has approved them, and their newest sessions. Live. */

import { useMemo } from 'react'
import { useQuery } from 'urql'
import { commands } from '../../app/commands.ts'
import { accountsOf, useSession } from '../../app/session.tsx'
import { Live } from '../../ui/live.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { rootField } from '../../ui/root-field.ts'
import { Empty, ErrorNotice, Loading } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { RepoLink } from '../repos/repo-table.tsx'
import { deviceSessionsQuery, sessionsChangedSubscription } from './endpoints.graphql.ts'
import { SessionTable } from './session-table.tsx'

export function Page() {
  const { viewer } = useSession()
  const owners = accountsOf(viewer)
  const variables = useMemo(() => ({ owner: null }), [])
  const [answer, again] = useQuery({ query: deviceSessionsQuery, variables })
  const { value: devices, error } = rootField(answer, 'devices')
  const refresh = () => again({ requestPolicy: 'network-only' })
  return (
    <>
      <PageHeader
        title="Devices and sessions"
        about="A robot acts on an endpoint only while a person's signed approval is valid."
      />
      <Live query={sessionsChangedSubscription} owners={owners} changed={refresh} />
      {error && <ErrorNotice error={error} retry={refresh} />}
      {devices === undefined && !error && <Loading />}
      {devices?.nodes.length === 0 && (
        <Empty title="No device">
          <p>
            Register a robot: <code>{commands.addDevice()}</code>
          </p>
        </Empty>
      )}
      <div className="stack">
        {devices?.nodes.map((device) => {
          const [approval] = device.approvals.nodes
          return (
            <section key={device.id} className="stack" aria-label={device.name}>
              <div className="row spread">
                <h2>{device.name}</h2>
                <span className="row">
                  {device.robotRepo && <RepoLink fullName={device.robotRepo.fullName} />}
                  {approval ? (
                    <>
                      <Status of={approval.status} /> <span className="dim">until</span>{' '}
                      <Time at={approval.expiresAt} />
                    </>
                  ) : (
                    <span className="dim">never approved</span>
                  )}
                </span>
              </div>
              {device.sessions.nodes.length > 0 ? (
                <SessionTable sessions={device.sessions.nodes} />
              ) : (
                <p className="dim">It has opened no session.</p>
              )}
            </section>
          )
        })}
      </div>
    </>
  )
}
