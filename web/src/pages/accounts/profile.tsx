/** What a person says of themselves: picture, name and email. */
import type { FormEvent } from 'react'
import { useMutation } from 'urql'
import { useSession } from '../../app/session.tsx'
import { Field } from '../../ui/field.tsx'
import { faultOf } from '../../ui/problem.ts'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice, FormError, Loading } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useReading } from '../../ui/use-reading.ts'
import { OwnPicture } from './own-picture.tsx'
import { profileQuery, updateProfileMutation } from './profile.graphql.ts'

export function Profile() {
  const { viewer, again: signedIn } = useSession()
  // What a person changes begins with what the hub has now, not with what this tab read some time ago.
  const [answer, again] = useReading({ query: profileQuery, requestPolicy: 'network-only' })
  const { value, error: unread } = rootField(answer, 'viewer')
  const [{ error, fetching }, update] = useMutation(updateProfileMutation)
  const toast = useToast()
  const refresh = () => {
    signedIn()
    again()
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = (name: string) => String(form.get(name)).trim() || null
    const { data } = await update({ input: { name: given('name'), email: given('email') } })
    if (!data?.updateProfile) return
    toast('Your profile is saved.')
    refresh()
  }
  if (!viewer) return null
  return (
    <section className="panel stack" aria-label="Profile">
      <h2>Profile</h2>
      <OwnPicture account={viewer.account} changed={refresh} />
      {unread && <ErrorNotice error={unread} retry={refresh} />}
      {!value && !unread && <Loading lines={2} />}
      {value && (
        <form className="stack" onSubmit={submit}>
          {error && <FormError error={error} fields={['name', 'email']} />}
          <Field label="Name" hint="Everyone sees it beside your handle." fault={faultOf(error, 'name')}>
            <input name="name" maxLength={200} autoComplete="name" defaultValue={viewer.account.name ?? ''} />
          </Field>
          <Field label="Email" hint="Only you see it, and nothing is sent there." fault={faultOf(error, 'email')}>
            <input name="email" type="email" maxLength={254} autoComplete="email" defaultValue={value.email ?? ''} />
          </Field>
          <div>
            <button type="submit" className="button primary" disabled={fetching}>
              Save profile
            </button>
          </div>
        </form>
      )}
    </section>
  )
}
