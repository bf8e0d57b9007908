/** The monthly cap of an account: an amount, and what happens there. */
import type { FormEvent } from 'react'
import { useMutation } from 'urql'
import { Field } from '../../ui/field.tsx'
import { faultOf } from '../../ui/problem.ts'
import { ErrorNotice } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { setCapMutation } from './cap.graphql.ts'

interface Props {
  readonly account: string
  readonly cap: { readonly limitUsd: number; readonly mode: 'NOTIFY' | 'STOP' } | null
  readonly changed: () => void
}

export function CapForm({ account, cap, changed }: Props) {
  const [{ error, fetching }, set] = useMutation(setCapMutation)
  const toast = useToast()
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const limit = String(form.get('usd')).trim()
    const mode = form.get('mode') === 'NOTIFY' ? 'NOTIFY' : 'STOP'
    const input = limit === '' ? { account, usd: null } : { account, usd: Number(limit), mode: mode as typeof mode }
    const answer = await set({ input })
    if (answer.error) return
    toast(limit === '' ? 'The cap is removed.' : 'The cap is set.')
    changed()
  }
  return (
    <form className="stack" aria-label="Cap" onSubmit={save}>
      {error && <ErrorNotice error={error} />}
      <div className="row">
        <Field label="Cap a month, in US dollars (empty: none)" fault={faultOf(error, 'usd')}>
          <input name="usd" type="number" min="0" step="any" defaultValue={cap?.limitUsd ?? ''} />
        </Field>
        <Field label="When it is reached">
          <select name="mode" defaultValue={cap?.mode ?? 'STOP'}>
            <option value="STOP">Start nothing more</option>
            <option value="NOTIFY">Only tell us</option>
          </select>
        </Field>
        <button type="submit" className="button primary" disabled={fetching}>
          Save
        </button>
      </div>
    </form>
  )
}
