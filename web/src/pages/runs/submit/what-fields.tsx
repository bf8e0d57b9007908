/** What is trained: template, datasets, robot, and the run that it comes from. */
import { Field } from '../../../ui/field.tsx'
import { count } from '../../../ui/format.ts'
import type { FormPart } from './form-part.ts'
import type { Template } from './hyperparams-fields.tsx'
import type { RunToRepeatQuery } from './submit.graphql.ts'

interface Props extends FormPart {
  readonly templates: readonly Template[]
  readonly datasets: readonly string[]
  readonly robots: readonly string[]
  readonly from: RunToRepeatQuery['run']
}

export function WhatFields({ draft, change, fault, templates, datasets, robots, from }: Props) {
  const isListed = templates.some(({ name }) => name === draft.template)
  return (
    <fieldset className="form-part">
      <legend>What to train</legend>
      <Field label="Template" fault={fault('template')}>
        <select value={draft.template} onChange={({ target }) => change({ template: target.value })}>
          {!isListed && <option value={draft.template}>{draft.template} (not listed here)</option>}
          {templates.map(({ name, modelFamily, implemented }) => (
            <option key={name} value={name}>
              {name}: {modelFamily}
              {!implemented && ' (planned)'}
            </option>
          ))}
        </select>
      </Field>
      {draft.datasets.map((dataset, index) => (
        <Field
          key={index}
          label={draft.datasets.length > 1 ? `Dataset ${index + 1}` : 'Dataset'}
          hint={index === 0 ? 'A repo as OWNER/NAME, or an exthub:// or codehost:// reference. Optional.' : ''}
          fault={index === 0 ? fault('dataset') : null}
        >
          <input
            list="datasets-to-train-on"
            autoComplete="off"
            value={dataset}
            onChange={({ target }) => change({ datasets: draft.datasets.with(index, target.value) })}
          />
        </Field>
      ))}
      <div>
        <button
          type="button"
          className="button small"
          onClick={() => change({ datasets: [...draft.datasets, ''] })}
          disabled={draft.datasets.at(-1) === ''}
        >
          Add another dataset
        </button>
      </div>
      <Field label="Robot" hint="A repo as OWNER/NAME, or any text. Optional." fault={fault('robot')}>
        <input
          list="robots-to-train-for"
          autoComplete="off"
          value={draft.robot}
          onChange={({ target }) => change({ robot: target.value })}
        />
      </Field>
      <Names id="datasets-to-train-on" names={datasets} />
      <Names id="robots-to-train-for" names={robots} />
      {from && <Origin draft={draft} change={change} fault={fault} from={from} />}
    </fieldset>
  )
}

function Names({ id, names }: { readonly id: string; readonly names: readonly string[] }) {
  return (
    <datalist id={id}>
      {names.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  )
}

/** What the new run keeps of the one that it repeats, besides its settings. */
function Origin({ draft, change, fault, from }: FormPart & { readonly from: NonNullable<RunToRepeatQuery['run']> }) {
  const steps = from.checkpoints.items.map(({ step }) => step)
  return (
    <>
      <label className="row">
        <input
          type="checkbox"
          checked={draft.parentRunId !== ''}
          onChange={({ target }) => change({ parentRunId: target.checked ? from.id : '', parentStep: '' })}
        />
        Keep {from.displayName} as its parent, and compare their settings
      </label>
      {fault('parentRunId') && (
        <small className="field-error" role="alert">
          {fault('parentRunId')}
        </small>
      )}
      {steps.length > 0 && draft.parentRunId !== '' && (
        <Field label="Start from" fault={fault('parentCheckpointStep')}>
          <select value={draft.parentStep} onChange={({ target }) => change({ parentStep: target.value })}>
            <option value="">The beginning</option>
            {steps.map((step) => (
              <option key={step} value={step}>
                Its checkpoint at step {count(step)}
              </option>
            ))}
          </select>
        </Field>
      )}
      {from.recipe.gate && (
        <label className="row">
          <input
            type="checkbox"
            checked={draft.isGated}
            onChange={({ target }) => change({ isGated: target.checked })}
          />
          Gate its checkpoints as before: every {count(from.recipe.gate.everySteps)} steps
        </label>
      )}
    </>
  )
}
