/** Where a person is signed in, and how to end it. */
import { withHiddenShown } from '@hub/text/hidden-characters'
import { Action } from '../../ui/action.tsx'
import { browserOf } from '../../ui/browser-of.ts'
import { Time } from '../../ui/time.tsx'
import { endSessionMutation, type SettingsQuery } from './settings.graphql.ts'

type Session = NonNullable<SettingsQuery['sessions']>['nodes'][number]

export function SessionTable(props: { readonly sessions: readonly Session[]; readonly changed: () => void }) {
  return (
    <div className="table-wrap">
      <table>
        <thead>
          <tr>
            <th>Signed in</th>
            <th>By</th>
            <th>Last used</th>
            <th>Ends</th>
            <th>
              <span className="visually-hidden">End</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.sessions.map((session) => (
            <tr key={session.id}>
              <td>
                <Time at={session.createdAt} /> {session.current && <span className="badge good">this browser</span>}
                {session.userAgent && (
                  <div className="dim small" title={withHiddenShown(session.userAgent)}>
                    {browserOf(session.userAgent)}
                  </div>
                )}
              </td>
              <td>{session.issuer ?? 'the hub'}</td>
              <td className="nowrap">{session.lastUsedAt ? <Time at={session.lastUsedAt} /> : 'never'}</td>
              <td className="nowrap">
                {hasEnded(session) ? <span className="badge">ended</span> : <Time at={session.expiresAt} />}
              </td>
              <td className="right">
                <End session={session} changed={props.changed} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export const hasEnded = ({ revokedAt, expiresAt }: Session): boolean =>
  revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now())

/** This browser signs out, which forgets its cookie too. */
function End({ session, changed }: { readonly session: Session; readonly changed: () => void }) {
  if (hasEnded(session)) return null
  if (session.current)
    return (
      <form method="post" action="/auth/logout">
        <button type="submit" className="button small">
          Sign out
        </button>
      </form>
    )
  return (
    <Action
      mutation={endSessionMutation}
      variables={{ input: { id: session.id } }}
      title="End session"
      done="The session has ended."
      className="button small danger"
      finished={changed}
    >
      <p>The browser or program that uses it is signed out.</p>
    </Action>
  )
}
