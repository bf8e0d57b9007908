/** Members of an organization; its owners add and remove them. */
import { type FormEvent, useState } from 'react'
import { useMutation } from 'urql'
import { Link } from '../../app/navigate.tsx'
import { useSession } from '../../app/session.tsx'
import { Action } from '../../ui/action.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { counted, words } from '../../ui/format.ts'
import { asksToSignIn, faultOf, messageOf } from '../../ui/problem.ts'
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
  const [{ fetching, error: refused }, remove] = useMutation(removeMemberMutation)
  const toast = useToast()
  const { viewer, again } = useSession()
  const self = viewer?.account.handle
  const isLeaving = asked !== null && asked === self
  const confirm = async () => {
    if (asked === null) return
    const { data, error } = await remove({ input: { org, user: asked } })
    // The dialog stays, and leads to the sign-in page.
    if (error && asksToSignIn(error)) return
    const keys = data?.removeOrgMember?.revokedKeyIds.length ?? 0
    toast(
      error
        ? messageOf(error)
        : `${isLeaving ? `You left ${org}` : `${asked} is removed`}${keys > 0 ? `, and ${counted(keys, 'key')} ${keys === 1 ? 'is' : 'are'} revoked` : ''}.`,
    )
    setAsked(null)
    if (error) return
    changed()
    // Forms and links of other pages offer the organization no more.
    if (isLeaving) again()
  }
  return (
    <section className="panel stack">
      <h2>Members</h2>
      <div className="table-wrap">
        <table>
          <thead>
            <tr>
              <th>Person</th>
              <th className="wide-only">Since</th>
              <th>
                <span className="visually-hidden">Role and membership</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map((member) => (
              <MemberRow
                key={member.user.id}
                org={org}
                member={member}
                isOwner={isOwner}
                isSelf={member.user.handle === self}
                changed={changed}
                remove={setAsked}
              />
            ))}
          </tbody>
        </table>
      </div>
      {isOwner && <AddMember org={org} changed={changed} />}
      <Confirm
        title={isLeaving ? `Leave ${org}?` : `Remove ${asked ?? ''}?`}
        isOpen={asked !== null}
        close={() => setAsked(null)}
        action={isLeaving ? 'Leave' : 'Remove member'}
        isBusy={fetching}
        confirm={() => void confirm()}
      >
        {refused && asksToSignIn(refused) && <ErrorNotice error={refused} />}
        <p>
          {isLeaving ? 'You lose' : 'They lose'} sight of the private repos of {org}, and keys that{' '}
          {isLeaving ? 'you' : 'they'} made for it are revoked. What is {org}'s stays.
        </p>
      </Confirm>
    </section>
  )
}

interface RowProps extends Pick<Props, 'org' | 'isOwner' | 'changed'> {
  readonly member: Member
  readonly isSelf: boolean
  readonly remove: (handle: string) => void
}

function MemberRow({ org, member: { user, role, since }, isOwner, isSelf, changed, remove }: RowProps) {
  return (
    <tr>
      <td>
        <Link to="account" params={{ handle: user.handle }}>
          <Avatar account={user} />
          {user.name ?? user.handle}
        </Link>{' '}
        <span className="badge">{words(role)}</span>
        {user.name && <div className="dim small">@{user.handle}</div>}
      </td>
      <td className="nowrap wide-only">
        <Time at={since} />
      </td>
      <td>
        <div className="row member-actions">
          {isOwner && <ChangeRole org={org} user={user.handle} role={role} changed={changed} />}
          {(isOwner || isSelf) && (
            <button
              type="button"
              className="button small danger"
              aria-label={isSelf ? `Leave ${org}` : `Remove ${user.handle}`}
              onClick={() => remove(user.handle)}
            >
              {isSelf ? 'Leave' : 'Remove'}
            </button>
          )}
        </div>
      </td>
    </tr>
  )
}

interface RoleProps extends Pick<Props, 'org' | 'changed'> {
  readonly user: string
  readonly role: Member['role']
}

function ChangeRole({ org, user, role, changed }: RoleProps) {
  const to = role === 'OWNER' ? 'MEMBER' : 'OWNER'
  return (
    <Action
      mutation={addMemberMutation}
      variables={{ input: { org, user, role: to } }}
      title={`Make ${words(to)}`}
      label={`Make ${words(to)}: ${user}`}
      done={`${user} is ${to === 'OWNER' ? 'an owner' : 'a member'} of ${org} now.`}
      className="button small"
      finished={changed}
    >
      <p>
        Owners of {org} add and remove members, change its spend cap and its picture.{' '}
        {to === 'OWNER' ? `Then ${user} can, too.` : `Then ${user} no longer can.`}
      </p>
    </Action>
  )
}

function AddMember({ org, changed }: Pick<Props, 'org' | 'changed'>) {
  const [{ error, fetching }, add] = useMutation(addMemberMutation)
  const toast = useToast()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const element = event.currentTarget
    const form = new FormData(element)
    const role = form.get('role') === 'OWNER' ? 'OWNER' : 'MEMBER'
    const answer = await add({ input: { org, user: String(form.get('user')).trim(), role } })
    if (answer.error) return
    const user = answer.data?.addOrgMember?.membership.user.handle
    toast(`${user} is ${role === 'OWNER' ? 'an owner' : 'a member'} of ${org} now.`)
    element.reset()
    changed()
  }
  return (
    <form className="stack" onSubmit={submit}>
      {error && <ErrorNotice error={error} />}
      <div className="row">
        <Field
          label="Handle of a person"
          hint="Who has an account here: invite others by a link, below."
          fault={faultOf(error, 'user')}
        >
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
