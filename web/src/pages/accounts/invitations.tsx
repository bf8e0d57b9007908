/** Invites people by a link that works once: into an org, or to the hub alone. */
import { type FormEvent, useState } from 'react'
import { useMutation } from 'urql'
import { Action } from '../../ui/action.tsx'
import { Command } from '../../ui/command.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { words } from '../../ui/format.ts'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useReading } from '../../ui/use-reading.ts'
import {
  createInvitationMutation,
  type InvitationsQuery,
  invitationsQuery,
  withdrawInvitationMutation,
} from './invitations.graphql.ts'

type Invitation = NonNullable<InvitationsQuery['invitations']>['nodes'][number]

/** `org` null: to the hub alone. */
export function Invitations({ org }: { readonly org: string | null }) {
  const [answer, refresh] = useReading({ query: invitationsQuery, variables: { org } })
  const { value: waiting, error: unread } = rootField(answer, 'invitations')
  const [{ error, fetching }, create] = useMutation(createInvitationMutation)
  const [path, setPath] = useState<string | null>(null)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const role = new FormData(event.currentTarget).get('role') === 'OWNER' ? 'OWNER' : 'MEMBER'
    const { data } = await create({ input: org === null ? {} : { org, role } })
    if (!data?.createInvitation) return
    setPath(data.createInvitation.path)
    refresh()
  }
  // The operator's page is open to all; only the account of the operator invites there.
  if (org === null && !waiting?.mayInviteToHub) return unread ? <ErrorNotice error={unread} retry={refresh} /> : null
  return (
    <section className="panel stack" aria-label="Invitations">
      <h2>Invitations</h2>
      <p className="dim">
        A link that works once, for seven days. {org === null ? 'It makes an account.' : `It leads into ${org}.`}
      </p>
      {unread && <ErrorNotice error={unread} retry={refresh} />}
      {waiting && waiting.nodes.length > 0 && (
        <ul className="plain-list">
          {waiting.nodes.map((invitation) => (
            <Waiting key={invitation.id} invitation={invitation} changed={refresh} />
          ))}
        </ul>
      )}
      {error && <ErrorNotice error={error} />}
      <form className="row" onSubmit={submit}>
        {org !== null && (
          <Field label="Role of the invited person">
            <select name="role" defaultValue="MEMBER">
              <option value="MEMBER">Member</option>
              <option value="OWNER">Owner: also members and spend</option>
            </select>
          </Field>
        )}
        <button type="submit" className="button primary" disabled={fetching}>
          Invite by a link
        </button>
      </form>
      <Dialog title="Invitation" isOpen={path !== null} close={() => setPath(null)}>
        <p>Send this link to one person. It is shown only this once.</p>
        <Command label="link of the invitation" text={`${location.origin}${path ?? ''}`} />
        <div className="dialog-actions">
          <button type="button" className="button primary" onClick={() => setPath(null)}>
            I have copied it
          </button>
        </div>
      </Dialog>
    </section>
  )
}

function Waiting({ invitation, changed }: { readonly invitation: Invitation; readonly changed: () => void }) {
  return (
    <li className="row">
      <span>
        {invitation.role ? words(invitation.role) : 'Account'}, made <Time at={invitation.createdAt} />, ends{' '}
        <Time at={invitation.expiresAt} />
      </span>
      <Action
        mutation={withdrawInvitationMutation}
        variables={{ input: { id: invitation.id } }}
        title="Withdraw"
        done="The link no longer works."
        className="button small"
        finished={changed}
      >
        <p>The person who has the link cannot use it any more.</p>
      </Action>
    </li>
  )
}
