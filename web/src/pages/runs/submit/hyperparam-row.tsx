/** One hyperparameter: its value, what kind of value it is, and a way to remove it. */
import { useState } from 'react'
import { Field } from '../../../ui/field.tsx'
import { asKind, isSame, jsonTyped, type Kind, kindOf, shownValue, valueTyped } from './hyperparams-text.ts'

/** What a person may choose, in this order. */
export const kinds = {
  number: 'Number',
  text: 'Text',
  boolean: 'Yes or no',
  nothing: 'Nothing (null)',
  json: 'List (JSON)',
  group: 'Group',
} as const satisfies Record<Kind, string>

interface Props {
  /** As its author wrote it. */
  readonly name: string
  /** Undefined for a field that is empty. */
  readonly value: unknown
  readonly hint?: string
  /** What the planner counts with where nothing is given. */
  readonly preset?: number
  readonly change: (value: unknown) => void
  /** Absent for a field that the template declares: emptied, it is gone. */
  readonly remove?: () => void
}

export function HyperparamRow({ name, value, hint, preset, change, remove }: Props) {
  // A text that looks like a number stays a text, and one that a person made a text too.
  const [isText, setText] = useState(typeof value === 'string' && !isSame(valueTyped(value), value))
  const [fault, setFault] = useState<string | null>(null)
  const kind = value === undefined ? 'number' : kindOf(value)
  const choose = (next: Kind) => {
    const converted = asKind(value, next)
    setText(next === 'text')
    setFault(converted === undefined ? `${JSON.stringify(shownValue(value))} is not a number: type one.` : null)
    if (converted !== undefined) change(converted)
  }
  const tell = (next: unknown) => {
    setFault(null)
    change(next)
  }
  return (
    <div className="hyperparam">
      <Field label={name} {...(hint !== undefined && { hint })} fault={fault}>
        {kind === 'boolean' ? (
          <select value={String(value)} onChange={({ target }) => tell(target.value === 'true')}>
            <option value="true">true</option>
            <option value="false">false</option>
          </select>
        ) : (
          <Typed
            value={value}
            kind={kind}
            isText={isText}
            placeholder={preset?.toString() ?? ''}
            change={tell}
            refuse={() => setFault('This is not JSON yet: check its brackets, quotes and commas.')}
          />
        )}
      </Field>
      {remove && (
        <div className="row">
          <select aria-label={`Kind of ${name}`} value={kind} onChange={({ target }) => choose(target.value as Kind)}>
            {Object.entries(kinds).map(([each, label]) => (
              <option key={each} value={each}>
                {label}
              </option>
            ))}
          </select>
          <button type="button" className="button small" onClick={remove} aria-label={`Remove ${name}`}>
            Remove
          </button>
        </div>
      )}
    </div>
  )
}

interface TypedProps {
  readonly value: unknown
  readonly kind: Kind
  readonly isText: boolean
  readonly placeholder: string
  readonly change: (value: unknown) => void
  readonly refuse: () => void
}

/** What was typed stays as it was typed (`1e-4`, `0.`) as long as it means the value. */
function Typed({ value, kind, isText, placeholder, change, refuse }: TypedProps) {
  const [typed, setTyped] = useState('')
  const read = (text: string): unknown => {
    if (kind === 'json') return jsonTyped(text)
    return isText ? text : valueTyped(text)
  }
  const isTyped = kind === 'json' ? typed !== '' && jsonTyped(typed) === undefined : isSame(read(typed), value)
  return (
    <input
      className="mono"
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      placeholder={placeholder}
      readOnly={kind === 'nothing'}
      value={isTyped ? typed : shownValue(value)}
      onChange={({ target }) => {
        setTyped(target.value)
        const next = read(target.value)
        if (kind === 'json' && next === undefined) refuse()
        else change(next)
      }}
    />
  )
}
