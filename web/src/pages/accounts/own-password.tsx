/** A person sets or changes their own password. */
import { type FormEvent, useState } from 'react'
import { type CombinedError, useMutation } from 'urql'
import { Field } from '../../ui/field.tsx'
import { faultOf } from '../../ui/problem.ts'
import { FormError } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { setPasswordMutation } from './settings.graphql.ts'

interface Props {
  readonly handle: string
  /** When it was set; null for a person who has none. */
  readonly changedAt: string | null
  readonly changed: () => void
}

export function OwnPassword({ handle, changedAt, changed }: Props) {
  const [{ error, fetching }, set] = useMutation(setPasswordMutation)
  const [differs, setDiffers] = useState(false)
  const toast = useToast()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const element = event.currentTarget
    const form = new FormData(element)
    const [password, again] = [String(form.get('password')), String(form.get('again'))]
    setDiffers(password !== again)
    if (password !== again) return
    const currentPassword = changedAt === null ? null : String(form.get('current'))
    const { data } = await set({ input: { password, currentPassword } })
    if (!data?.setPassword) return
    element.reset()
    toast(saidOf(changedAt !== null, data.setPassword.endedSessions))
    changed()
  }
  return (
    <section className="panel stack" aria-label="Password">
      <h2>Password</h2>
      <p className="dim">
        {changedAt === null ? 'You have no password yet. With one you sign in at the sign-in page.' : 'Changed '}
        {changedAt !== null && <Time at={changedAt} />}
      </p>
      <form className="stack" onSubmit={submit}>
        {error && <FormError error={error} fields={['password', 'currentPassword']} />}
        {/* Tells a password manager whose password it is. */}
        <input
          className="visually-hidden"
          name="username"
          autoComplete="username"
          aria-label="Handle"
          value={handle}
          readOnly
          tabIndex={-1}
        />
        {changedAt !== null && (
          <Field label="Current password" fault={faultOf(error, 'currentPassword')}>
            <input name="current" type="password" required autoComplete="current-password" />
          </Field>
        )}
        <NewPasswordFields error={error} differs={differs} />
        <div>
          <button type="submit" className="button primary" disabled={fetching}>
            {changedAt === null ? 'Set password' : 'Change password'}
          </button>
        </div>
      </form>
    </section>
  )
}

/** A new password, twice. */
function NewPasswordFields(props: { readonly error: CombinedError | undefined; readonly differs: boolean }) {
  return (
    <>
      <Field label="New password" hint="At least 12 characters." fault={faultOf(props.error, 'password')}>
        <input name="password" type="password" required minLength={12} maxLength={512} autoComplete="new-password" />
      </Field>
      <Field label="New password again" fault={props.differs ? 'The two are not the same.' : null}>
        <input name="again" type="password" required autoComplete="new-password" />
      </Field>
    </>
  )
}

function saidOf(hadOne: boolean, endedSessions: number): string {
  if (!hadOne) return 'Your password is set.'
  return endedSessions === 0 ? 'Your password is changed.' : 'Your password is changed. Your other sessions have ended.'
}
