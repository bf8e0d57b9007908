/** Adds a hyperparameter of any name and kind, to the object or to one of its groups. */
import { type KeyboardEvent, useRef, useState } from 'react'
import { Field } from '../../../ui/field.tsx'
import { kinds } from './hyperparam-row.tsx'
import { asKind, type Kind, valueTyped } from './hyperparams-text.ts'

interface Props {
  /** Of the group, as its place with dots; empty for the object itself. */
  readonly group: string
  readonly has: (name: string) => boolean
  readonly add: (name: string, value: unknown) => void
}

/** The other kinds have a value to begin with. */
const needsValue = (kind: Kind) => kind === 'number' || kind === 'text'

export function AddHyperparam({ group, has, add }: Props) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<Kind>('number')
  const [typed, setTyped] = useState('')
  const first = useRef<HTMLInputElement>(null)
  const value = kind === 'text' ? typed : needsValue(kind) ? valueTyped(typed) : asKind(undefined, kind)
  const isTaken = has(name)
  const isReady = name !== '' && !isTaken && value !== undefined
  const put = () => {
    if (!isReady) return
    add(name, value)
    setName('')
    setTyped('')
    // The next one begins with its name.
    first.current?.focus()
  }
  // Enter adds; else it would send the form.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    put()
  }
  const where = group === '' ? '' : ` in ${group}`
  return (
    <fieldset className="hyperparam-new" aria-label={`Add a hyperparameter${where}`} onKeyDown={onKeyDown}>
      <Field label={`New name${where}`} fault={isTaken ? 'This name is there already: change its value above.' : null}>
        <input
          ref={first}
          className="mono"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </Field>
      <Field label={`New kind${where}`}>
        <select value={kind} onChange={({ target }) => setKind(target.value as Kind)}>
          {Object.entries(kinds).map(([each, label]) => (
            <option key={each} value={each}>
              {label}
            </option>
          ))}
        </select>
      </Field>
      {needsValue(kind) && (
        <Field label={`New value${where}`}>
          <input
            className="mono"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </Field>
      )}
      <button type="button" className="button small" disabled={!isReady} onClick={put}>
        Add{group !== '' && ` to ${group}`}
      </button>
    </fieldset>
  )
}
