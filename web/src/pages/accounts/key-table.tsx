/** Keys with what they may do, and a way to revoke each. */
import { useState } from 'react'
import { useMutation } from 'urql'
import { Confirm } from '../../ui/dialog.tsx'
import { words } from '../../ui/format.ts'
import { messageOf } from '../../ui/problem.ts'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type KeyRowFragment, revokeKeyMutation } from './keys.graphql.ts'

interface Props {
  readonly keys: readonly KeyRowFragment[]
  readonly changed: () => void
}

export function KeyTable({ keys, changed }: Props) {
  const [asked, setAsked] = useState<KeyRowFragment | null>(null)
  const [{ fetching }, revoke] = useMutation(revokeKeyMutation)
  const toast = useToast()
  const confirm = async () => {
    if (asked === null) return
    const { error } = await revoke({ id: asked.id })
    toast(error ? messageOf(error) : `${asked.name} is revoked.`)
    setAsked(null)
    if (!error) changed()
  }
  return (
    <div className="panel flush table-wrap">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>Access</th>
            <th>Created</th>
            <th>Last used</th>
            <th>Expires</th>
            <th>
              <span className="visually-hidden">Revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <td>
                {key.name} {key.agent && <span className="badge">agent</span>}
                {key.repos && <div className="dim small">only {key.repos.join(', ')}</div>}
                {key.dailyGpuHourQuota !== null && (
                  <div className="dim small">{key.dailyGpuHourQuota} GPU hours a day</div>
                )}
              </td>
              <td>{words(key.scope)}</td>
              <td className="nowrap">
                <Time at={key.createdAt} />
              </td>
              <td className="nowrap">
                <Time at={key.lastUsedAt} />
              </td>
              <td className="nowrap">{key.expiresAt ? <Time at={key.expiresAt} /> : 'never'}</td>
              <td className="right">
                {key.revokedAt ? (
                  <span className="badge bad">revoked</span>
                ) : (
                  <button
                    type="button"
                    className="button small danger"
                    onClick={() => setAsked(key)}
                    aria-label={`Revoke ${key.name}`}
                  >
                    Revoke
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Confirm
        title={`Revoke ${asked?.name ?? 'key'}?`}
        isOpen={asked !== null}
        close={() => setAsked(null)}
        action="Revoke key"
        isBusy={fetching}
        confirm={() => void confirm()}
      >
        <p>Programs that use it are refused from now on. This cannot be undone.</p>
      </Confirm>
    </div>
  )
}
