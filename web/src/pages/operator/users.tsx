/** Everyone who has an account; the operator keeps people out and makes links by which they set a new password. */
import { useMemo, useState } from 'react'
import { Link } from '../../app/navigate.tsx'
import { useSession } from '../../app/session.tsx'
import { Action } from '../../ui/action.tsx'
import { DelayedInput } from '../../ui/delayed-input.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Empty, ErrorNotice, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { itself, usePages } from '../../ui/use-pages.ts'
import { disableUserMutation, enableUserMutation, type HubUsersQuery, hubUsersQuery } from './operator.graphql.ts'
import { ResetPassword } from './reset-password.tsx'

type User = NonNullable<HubUsersQuery['users']>['nodes'][number]

export function Users() {
  const [q, setQ] = useState('')
  const variables = useMemo(() => ({ q, after: null }), [q])
  const pages = usePages({ query: hubUsersQuery, variables, field: 'users', select: itself })
  return (
    <section className="panel stack" aria-label="Users">
      <div className="row">
        <h2>Users</h2>
        <DelayedInput label="Handle begins with" placeholder="Handle begins with" value={q} change={setQ} />
      </div>
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {pages.root === undefined && !pages.error && <Loading lines={3} />}
      {pages.isEmpty && (
        <Empty title="No such user">
          <p>No handle begins with {q}.</p>
        </Empty>
      )}
      {pages.nodes.length > 0 && (
        <div className="table-wrap">
          <table>
            <thead>
              <tr>
                <th>User</th>
                <th>Last sign-in</th>
                <th>Signs in by</th>
                <th>
                  <span className="visually-hidden">Change</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {pages.nodes.map((user) => (
                <UserRow key={user.account.id} user={user} changed={pages.refresh} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <LoadMore pages={pages} />
    </section>
  )
}

function UserRow({ user, changed }: { readonly user: User; readonly changed: () => void }) {
  const { viewer } = useSession()
  const { handle, name } = user.account
  const isOwn = viewer?.account.handle === handle
  return (
    <tr>
      <td>
        <Link to="account" params={{ handle }}>
          {handle}
        </Link>{' '}
        {user.disabledAt && <span className="badge bad">disabled</span>}
        {name && <div className="dim small">{name}</div>}
      </td>
      <td className="nowrap">{user.lastSignInAt ? <Time at={user.lastSignInAt} /> : 'never'}</td>
      <td>{waysOf(user)}</td>
      <td>
        <div className="row">
          <ResetPassword handle={handle} />
          {!isOwn && (user.disabledAt ? <Enable handle={handle} changed={changed} /> : null)}
          {!isOwn && !user.disabledAt && <Disable handle={handle} changed={changed} />}
        </div>
      </td>
    </tr>
  )
}

function waysOf({ hasPassword, hasPasskey, hasIdentity }: User): string {
  const ways = [hasPasskey && 'passkey', hasPassword && 'password', hasIdentity && 'identity provider'].filter(
    (way) => way !== false,
  )
  return ways.length === 0 ? 'nothing yet' : ways.join(', ')
}

interface OfUser {
  readonly handle: string
  readonly changed: () => void
}

function Disable({ handle, changed }: OfUser) {
  return (
    <Action
      mutation={disableUserMutation}
      variables={{ input: { user: handle } }}
      title={`Disable ${handle}`}
      done={`${handle} is disabled.`}
      className="button small danger"
      finished={changed}
    >
      <p>
        Their sessions and links end now, and their keys are refused until you enable them again. Repos and runs stay; a
        run that only their key reports on loses its worker.
      </p>
    </Action>
  )
}

function Enable({ handle, changed }: OfUser) {
  return (
    <Action
      mutation={enableUserMutation}
      variables={{ input: { user: handle } }}
      title={`Enable ${handle}`}
      done={`${handle} may sign in again.`}
      className="button small"
      finished={changed}
    >
      <p>They sign in again, and their keys work.</p>
    </Action>
  )
}
