/** Chooses the filters. They apply when the form is sent: no letter typed asks the hub. */
import { type FormEvent, useEffect, useState } from 'react'
import { Field } from '../../ui/field.tsx'
import type { Filters } from './filters.ts'
import { actions } from './told.ts'

interface Props {
  readonly filters: Filters
  readonly accounts: readonly string[]
  readonly apply: (filters: Filters) => void
}

export function FilterForm({ filters, accounts, apply }: Props) {
  const [chosen, setChosen] = useState(filters)
  const key = JSON.stringify(filters)
  useEffect(() => setChosen(JSON.parse(key) as Filters), [key])
  const set = (name: keyof Filters) => (event: { readonly target: { readonly value: string } }) =>
    setChosen({ ...chosen, [name]: event.target.value })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    apply(chosen)
  }
  const empty: Filters = { account: filters.account, action: '', actor: '', target: '', from: '', to: '' }
  return (
    <form className="panel audit-filters" aria-label="Filters" onSubmit={submit}>
      <Field label="Account">
        <select value={chosen.account} onChange={set('account')}>
          {accounts.map((handle) => (
            <option key={handle}>{handle}</option>
          ))}
        </select>
      </Field>
      <Field label="Action">
        <input list="audit-actions" value={chosen.action} placeholder="repo.delete" onChange={set('action')} />
      </Field>
      <datalist id="audit-actions">
        {actions.map((action) => (
          <option key={action} value={action} />
        ))}
      </datalist>
      <Field label="Who">
        <input value={chosen.actor} placeholder="Handle of a person" onChange={set('actor')} />
      </Field>
      <Field label="Target">
        <input value={chosen.target} placeholder="Id, such as run_…" onChange={set('target')} />
      </Field>
      <Field label="From">
        <input type="date" value={chosen.from} onChange={set('from')} />
      </Field>
      <Field label="To">
        <input type="date" value={chosen.to} onChange={set('to')} />
      </Field>
      <div className="row">
        <button type="submit" className="button primary">
          Apply
        </button>
        <button type="button" className="button" onClick={() => apply(empty)}>
          Clear
        </button>
      </div>
    </form>
  )
}
