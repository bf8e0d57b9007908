/** The hyperparameters of a run as a form, over the text of a JSON object: both show and change the same value. */
import { isJsonObject } from '@hub/formats/exact-json'
import { useState } from 'react'
import { Field } from '../../../ui/field.tsx'
import { AddHyperparam } from './add-hyperparam.tsx'
import { HyperparamRow } from './hyperparam-row.tsx'
import { hyperparamsOf, type Place, type Values, valueAt, withHyperparam } from './hyperparams-text.ts'
import type { SubmitFormQuery } from './submit.graphql.ts'

export type Template = NonNullable<SubmitFormQuery['trainingTemplates']>['items'][number]

interface Props {
  /** Undefined for a name that the hub does not list. */
  readonly template: Template | undefined
  readonly text: string
  readonly fault: string | null
  readonly change: (text: string) => void
}

type SetAt = (place: Place, value: unknown) => void

/** Fields of one object that are drawn: thousands of them would make the page slow. */
const MOST_FIELDS = 200

export function HyperparamsFields({ template, text, fault, change }: Props) {
  const [isOpen, setOpen] = useState(false)
  const values = hyperparamsOf(text)
  const has = (name: string) => values !== null && Object.hasOwn(values, name)
  const declared = (template?.hyperparameters ?? [])
    .map((one) => ({ ...one, name: [one.name, ...one.otherNames].find(has) ?? one.name }))
    .filter(({ name }) => !isJsonObject(values?.[name]))
  const names = new Set(declared.map(({ name }) => name))
  const set: SetAt = (place, value) => change(withHyperparam(text, place, value))
  return (
    <fieldset className="form-part">
      <legend>Hyperparameters</legend>
      {values === null ? (
        <p className="dim">The fields come back once the JSON below is an object again.</p>
      ) : (
        <>
          <div className="form-grid">
            {declared.map(({ name, description, default: preset }) => (
              <HyperparamRow
                key={name}
                name={name}
                value={values[name]}
                hint={description}
                preset={preset}
                change={(value) => set([name], value)}
              />
            ))}
          </div>
          <Members values={values} place={[]} hidden={names} set={set} />
        </>
      )}
      {/* What is wrong opens it, and it stays open once that is mended. */}
      <details
        open={isOpen || values === null || fault !== null}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary>All hyperparameters as JSON</summary>
        <Field
          label="JSON object"
          hint="The template gets it unchanged, and its own values for what is not here."
          fault={values === null ? 'This is not a JSON object: check its braces, quotes and commas.' : fault}
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

interface MembersProps {
  /** The whole object. */
  readonly values: Values
  /** Of the group whose members these are. */
  readonly place: Place
  /** Names that have their fields elsewhere. */
  readonly hidden?: ReadonlySet<string>
  readonly set: SetAt
}

/** The members of an object: fields first, then its groups, each with the names on the way to it. */
function Members({ values, place, hidden, set }: MembersProps) {
  const held = valueAt(values, place)
  const members = Object.entries(isJsonObject(held) ? held : {}).filter(([name]) => !hidden?.has(name))
  const fields = members.filter(([, value]) => !isJsonObject(value))
  const groups = members.filter(([, value]) => isJsonObject(value))
  return (
    <>
      {fields.length > 0 && (
        <div className="form-grid">
          {fields.slice(0, MOST_FIELDS).map(([name, value]) => (
            <HyperparamRow
              key={name}
              name={[...place, name].join('.')}
              value={value}
              // A field that is emptied stays as an empty text until it is removed or filled.
              change={(next) => set([...place, name], next ?? '')}
              remove={() => set([...place, name], undefined)}
            />
          ))}
        </div>
      )}
      {fields.length > MOST_FIELDS && <p className="dim">{fields.length - MOST_FIELDS} more are in the JSON below.</p>}
      {groups.map(([name]) => (
        <fieldset key={name} className="form-part hyperparam-group">
          <legend className="mono">{[...place, name].join('.')}</legend>
          <Members values={values} place={[...place, name]} set={set} />
          <div>
            <button type="button" className="button small" onClick={() => set([...place, name], undefined)}>
              Remove the group {[...place, name].join('.')}
            </button>
          </div>
        </fieldset>
      ))}
      <AddHyperparam
        group={place.join('.')}
        has={(name) => isJsonObject(held) && Object.hasOwn(held, name)}
        add={(name, value) => set([...place, name], value)}
      />
    </>
  )
}
