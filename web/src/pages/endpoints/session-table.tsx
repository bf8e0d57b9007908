/** Sessions of devices on endpoints. */
import { Link } from '../../app/navigate.tsx'
import { count, money, words } from '../../ui/format.ts'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { EndpointQuery } from './endpoints.graphql.ts'
import { pairText } from './latency.ts'

export type SessionRow = NonNullable<EndpointQuery['endpoint']>['sessions']['nodes'][number]

export function SessionTable({ sessions }: { readonly sessions: readonly SessionRow[] }) {
  return (
    <div className="panel flush table-wrap">
      <table>
        <thead>
          <tr>
            <th>Device</th>
            <th>Status</th>
            <th>Opened</th>
            <th className="number">Chunks</th>
            <th className="number">Deadlines missed</th>
            <th className="number">Service, p50 / p95</th>
            <th className="number">Round trip, p50 / p95</th>
            <th className="number">Cost</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <tr key={session.id}>
              <td>
                <Link to="endpoint" params={{ id: session.endpointId }}>
                  {session.device?.name ?? session.id}
                </Link>
              </td>
              <td>
                <Status of={session.status} />
                {session.closedReason && session.closedReason !== 'closed' && (
                  <div className="dim small">{words(session.closedReason)}</div>
                )}
              </td>
              <td className="nowrap">
                <Time at={session.openedAt} />
              </td>
              <td className="number">{count(session.chunksServed)}</td>
              <td className="number">{session.deadlineMisses === null ? '–' : count(session.deadlineMisses)}</td>
              <td className="number nowrap">{pairText(session.serviceMsP50, session.serviceMsP95)}</td>
              <td className="number nowrap">{pairText(session.rttMsP50, session.rttMsP95)}</td>
              <td className="number">{session.priced ? money(session.costUsd) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
