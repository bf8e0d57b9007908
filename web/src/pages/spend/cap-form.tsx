/** The monthly cap of an account: an amount, and what happens there. */
import { type FormEvent, useState } from 'react'
import { useMutation } from 'urql'
import { Field } from '../../ui/field.tsx'
import { money } from '../../ui/format.ts'
import { faultOf } from '../../ui/problem.ts'
import { ErrorNotice } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { setCapMutation } from './cap.graphql.ts'

interface Props {
  readonly account: string
  readonly cap: { readonly limitUsd: number; readonly mode: 'NOTIFY' | 'STOP' } | null
  /** Recorded and reserved this month; 0 where another month is shown. */
  readonly monthUsd: number
  readonly changed: () => void
}

export function CapForm({ account, cap, monthUsd, changed }: Props) {
  const [typed, setTyped] = useState(String(cap?.limitUsd ?? ''))
  const [mode, setMode] = useState(cap?.mode ?? 'STOP')
  const [{ error, fetching }, set] = useMutation(setCapMutation)
  const toast = useToast()
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const limit = typed.trim()
    const input = limit === '' ? { account, usd: null } : { account, usd: Number(limit), mode }
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
          <input
            name="usd"
            type="number"
            min="0"
            step="any"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </Field>
        <Field label="When it is reached">
          <select
            name="mode"
            value={mode}
            onChange={({ target }) => setMode(target.value === 'NOTIFY' ? 'NOTIFY' : 'STOP')}
          >
            <option value="STOP">Start nothing more</option>
            <option value="NOTIFY">Only tell us</option>
          </select>
        </Field>
        <button type="submit" className="button primary" disabled={fetching}>
          Save
        </button>
      </div>
      {typed.trim() !== '' && Number(typed) < monthUsd && (
        <p className="small dim" role="status">
          {passed[mode](money(monthUsd))}
        </p>
      )}
    </form>
  )
}

/** What a cap below the month so far does. */
const passed = {
  STOP: (month: string) => `The month has ${month} already: nothing more starts before the next one.`,
  NOTIFY: (month: string) => `The month has ${month} already: the cap is passed as soon as something starts.`,
} as const
