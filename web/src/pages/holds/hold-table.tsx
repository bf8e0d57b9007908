/** Spend that waits for a person, or did. */
import { Link } from '../../app/navigate.tsx'
import { money, words } from '../../ui/format.ts'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { HoldsQuery } from './holds.graphql.ts'

export function HoldTable({ holds }: { readonly holds: NonNullable<HoldsQuery['spendHolds']>['nodes'] }) {
  return (
    <div className="panel flush table-wrap">
      <table>
        <thead>
          <tr>
            <th>What for</th>
            <th>Asked by</th>
            <th className="number">At most</th>
            <th>Status</th>
            <th>Decide within</th>
          </tr>
        </thead>
        <tbody>
          {holds.map((hold) => (
            <tr key={hold.id}>
              <td>
                <Link to="hold" params={{ id: hold.id }}>
                  {hold.summary}
                </Link>
                <div className="dim small">
                  {words(hold.kind)} for {hold.account.handle}
                </div>
              </td>
              <td>{hold.filedBy.name}</td>
              <td className="number">{money(hold.reserveUsd)}</td>
              <td>
                <Status of={hold.status} />
              </td>
              <td className="nowrap">
                {hold.status === 'PENDING' ? <Time at={hold.expiresAt} /> : <span className="dim">–</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
