/** Members of an organization; its owners add and remove them. */
import { type FormEvent, useState } from 'react'
import { useMutation } from 'urql'
import { Link } from '../../app/navigate.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { words } from '../../ui/format.ts'
import { faultOf, messageOf } from '../../ui/problem.ts'
import { ErrorNotice } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { addMemberMutation, type OrgQuery, removeMemberMutation } from './orgs.graphql.ts'

type Member = NonNullable<OrgQuery['account']>['members']['nodes'][number]

interface Props {
  readonly org: string
  readonly members: readonly Member[]
  readonly isOwner: boolean
  readonly changed: () => void
}

export function Members({ org, members, isOwner, changed }: Props) {
  const [asked, setAsked] = useState<string | null>(null)
  const [{ fetching }, remove] = useMutation(removeMemberMutation)
  const toast = useToast()
  const confirm = async () => {
    if (asked === null) return
    const { data, error } = await remove({ input: { org, user: asked } })
    const keys = data?.removeOrgMember?.revokedKeyIds.length ?? 0
    toast(error ? messageOf(error) : `${asked} is removed${keys > 0 ? `, and ${keys} keys are revoked` : ''}.`)
    setAsked(null)
    if (!error) changed()
  }
  return (
    <section className="panel stack">
      <h2>Members</h2>
      <div className="table-wrap">
        <table>
          <thead>
            <tr>
              <th>Person</th>
              <th>Role</th>
              <th>Since</th>
              <th>
                <span className="visually-hidden">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map(({ user, role, since }) => (
              <tr key={user.id}>
                <td>
                  <Link to="account" params={{ handle: user.handle }}>
                    <Avatar account={user} /> {user.name ?? user.handle}
                  </Link>
                </td>
                <td>{words(role)}</td>
                <td className="nowrap">
                  <Time at={since} />
                </td>
                <td className="right">
                  {isOwner && (
                    <button
                      type="button"
                      className="button small danger"
                      aria-label={`Remove ${user.handle}`}
                      onClick={() => setAsked(user.handle)}
                    >
                      Remove
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isOwner && <AddMember org={org} changed={changed} />}
      <Confirm
        title={`Remove ${asked ?? ''}?`}
        isOpen={asked !== null}
        close={() => setAsked(null)}
        action="Remove member"
        isBusy={fetching}
        confirm={() => void confirm()}
      >
        <p>They lose sight of the private repos of {org}, and keys that they made for it are revoked.</p>
      </Confirm>
    </section>
  )
}

function AddMember({ org, changed }: Pick<Props, 'org' | 'changed'>) {
  const [{ error, fetching }, add] = useMutation(addMemberMutation)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const element = event.currentTarget
    const form = new FormData(element)
    const role = form.get('role') === 'OWNER' ? 'OWNER' : 'MEMBER'
    const answer = await add({ input: { org, user: String(form.get('user')).trim(), role } })
    if (answer.error) return
    element.reset()
    changed()
  }
  return (
    <form className="stack" onSubmit={submit}>
      {error && <ErrorNotice error={error} />}
      <div className="row">
        <Field label="Handle of a person" fault={faultOf(error, 'user')}>
          <input name="user" required autoComplete="off" spellCheck={false} />
        </Field>
        <Field label="Role">
          <select name="role" defaultValue="MEMBER">
            <option value="MEMBER">Member</option>
            <option value="OWNER">Owner: also members and spend</option>
          </select>
        </Field>
        <button type="submit" className="button primary" disabled={fetching}>
          Add
        </button>
      </div>
    </form>
  )
}
