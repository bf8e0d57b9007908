/** Approvals of devices on endpoints: who gave them, until when, and a way to revoke one. */
import { Link } from '../../app/navigate.tsx'
import { Action } from '../../ui/action.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { endpointTitle } from './endpoint-title.ts'
import { type EndpointQuery, revokeApprovalMutation } from './endpoints.graphql.ts'

export type ApprovalRow = NonNullable<EndpointQuery['endpoint']>['approvals']['nodes'][number]

interface Props {
  readonly approvals: readonly ApprovalRow[]
  /** What a row is about: on the page of a device its endpoints, on that of an endpoint its devices. */
  readonly of: 'device' | 'endpoint'
  readonly changed: () => void
}

export function ApprovalTable({ approvals, of, changed }: Props) {
  return (
    <div className="panel flush table-wrap">
      <table>
        <thead>
          <tr>
            <th>{of === 'device' ? 'Device' : 'Endpoint'}</th>
            <th>Approval</th>
            <th>Expires</th>
            <th>Approved by</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {approvals.map((approval) => (
            <tr key={approval.id}>
              <td>{of === 'device' ? (approval.device?.name ?? approval.deviceId) : <EndpointName of={approval} />}</td>
              <td>
                <Status of={isValid(approval) ? 'ACTIVE' : approval.status} text={said[approval.status]} />
                {approval.revokedBy && <div className="dim small">by {approval.revokedBy.handle}</div>}
              </td>
              <td className="nowrap">
                <Time at={approval.expiresAt} />
              </td>
              <td>
                {approval.mintedBy.handle}
                <div className="dim small">
                  <Time at={approval.createdAt} />
                </div>
              </td>
              <td className="right">{isValid(approval) && <Revoke approval={approval} changed={changed} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A session under it may be over: `running` would say that a robot moves. */
const said: Readonly<Record<ApprovalRow['status'], string>> = {
  ISSUED: 'valid, not used yet',
  RUNNING: 'valid',
  EXPIRED: 'expired',
  REVOKED: 'revoked',
}

const isValid = ({ status }: ApprovalRow) => status === 'ISSUED' || status === 'RUNNING'

function EndpointName({ of: { endpointId, endpoint } }: { readonly of: ApprovalRow }) {
  if (endpoint === null) return <span className="mono">{endpointId}</span>
  return (
    <Link to="endpoint" params={{ id: endpoint.id }} title={endpoint.id}>
      {endpointTitle(endpoint)}
    </Link>
  )
}

function Revoke({ approval, changed }: { readonly approval: ApprovalRow; readonly changed: () => void }) {
  return (
    <Action
      mutation={revokeApprovalMutation}
      variables={{ input: { approvalId: approval.id } }}
      title="Revoke"
      done="Revoked: its sessions are closed."
      className="button small danger"
      finished={changed}
    >
      <p>
        {approval.device?.name ?? 'The device'} gets no further actions under it: open sessions are closed, and its
        token opens no other.
      </p>
    </Action>
  )
}
