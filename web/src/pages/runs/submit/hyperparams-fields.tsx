/** The hyperparameters of a template as a form, over the text of a JSON object that may have others. */
import { useState } from 'react'
import { Field } from '../../../ui/field.tsx'
import { hyperparamsOf, shownValue, valueTyped, withHyperparam } from './hyperparams-text.ts'
import type { SubmitFormQuery } from './submit.graphql.ts'

export type Template = NonNullable<SubmitFormQuery['trainingTemplates']>['items'][number]

interface Props {
  /** Undefined for a name that the hub does not list. */
  readonly template: Template | undefined
  readonly text: string
  readonly fault: string | null
  readonly change: (text: string) => void
}

export function HyperparamsFields({ template, text, fault, change }: Props) {
  // A field that was emptied stays until the page is left, though the object has its name no more.
  const [emptied, setEmptied] = useState<readonly string[]>([])
  const [isOpen, setOpen] = useState(false)
  const values = hyperparamsOf(text)
  const has = (name: string) => values !== null && Object.hasOwn(values, name)
  const declared = (template?.hyperparameters ?? []).map((one) => ({
    ...one,
    name: [one.name, ...one.otherNames].find(has) ?? one.name,
  }))
  const names = new Set(declared.map(({ name }) => name))
  const others = [...new Set([...Object.keys(values ?? {}), ...emptied])].filter((name) => !names.has(name))
  const set = (name: string) => (value: unknown) => {
    if (value === undefined) setEmptied((before) => [...new Set([...before, name])])
    change(withHyperparam(text, name, value))
  }
  return (
    <fieldset className="form-part">
      <legend>Hyperparameters</legend>
      <div className="form-grid">
        {declared.map(({ name, description, default: preset }) => (
          <Value key={name} name={name} value={values?.[name]} hint={description} preset={preset} change={set(name)} />
        ))}
        {others.map((name) => (
          <Value key={name} name={name} value={values?.[name]} change={set(name)} />
        ))}
      </div>
      {/* What is wrong opens it, and it stays open once that is mended. */}
      <details
        open={isOpen || values === null || fault !== null}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary>All hyperparameters as JSON</summary>
        <Field
          label="JSON object"
          hint="The template gets it unchanged, and its own values for what is not here."
          fault={values === null ? 'This is no JSON object: check its braces, quotes and commas.' : fault}
        >
          <textarea
            className="mono"
            rows={Math.min(20, Math.max(4, text.split('\n').length))}
            spellCheck={false}
            value={text}
            onChange={({ target }) => change(target.value)}
          />
        </Field>
      </details>
    </fieldset>
  )
}

interface ValueProps {
  readonly name: string
  readonly value: unknown
  readonly hint?: string
  /** What the planner counts with where nothing is given. */
  readonly preset?: number
  readonly change: (value: unknown) => void
}

/** What was typed stays as it was typed (`1e-4`, `0.`) as long as it means the value. */
function Value({ name, value, hint, preset, change }: ValueProps) {
  const [typed, setTyped] = useState('')
  const isNested = typeof value === 'object' && value !== null
  return (
    <Field label={name} {...(hint !== undefined && { hint })}>
      <input
        className="mono"
        autoComplete="off"
        placeholder={preset?.toString() ?? ''}
        readOnly={isNested}
        title={isNested ? 'Change it in the JSON object below.' : undefined}
        value={valueTyped(typed) === value ? typed : shownValue(value)}
        onChange={({ target }) => {
          setTyped(target.value)
          change(valueTyped(target.value))
        }}
      />
    </Field>
  )
}
