/** Signing in with a handle and a password. */
import { type FormEvent, useState } from 'react'
import { Field } from '../../ui/field.tsx'
import type { Problem } from '../../ui/problem.ts'
import { ProblemNotice } from '../../ui/states.tsx'
import { isEmpty, postAuth } from './post-auth.ts'

interface Props {
  /** Of a person who signs in again. */
  readonly handle: string | null
  /** A path of this hub. */
  readonly returnTo: string
}

export function PasswordForm({ handle, returnTo }: Props) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    const body = { handle: String(form.get('handle')), password: String(form.get('password')) }
    const result = await postAuth('/auth/password', body, isEmpty)
    if ('answer' in result) return location.assign(returnTo)
    setBusy(false)
    setProblem(result.problem)
  }
  return (
    <form className="stack" onSubmit={submit}>
      {problem && <ProblemNotice problem={problem} />}
      <Field label="Handle">
        <input
          name="handle"
          required
          defaultValue={handle ?? ''}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
      </Field>
      <Field label="Password">
        <input name="password" type="password" required autoComplete="current-password" />
      </Field>
      <div>
        <button type="submit" className="button primary" disabled={isBusy}>
          Sign in
        </button>
      </div>
    </form>
  )
}
