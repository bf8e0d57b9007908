/** The meta block of a model: what it is, and which robot it controls. */
import type { FormEvent } from 'react'
import { useMutation } from 'urql'
import { Field } from '../../../ui/field.tsx'
import { faultOf } from '../../../ui/problem.ts'
import { FormError } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { modelMetaInput } from './meta-input.ts'
import { changeModelMetaMutation, type RepoSettingsQuery } from './repo-settings.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  /** Null until it is set. */
  readonly meta: NonNullable<RepoSettingsQuery['repo']>['modelMeta']
}

export function ModelMeta({ owner, repo, meta }: Props) {
  const [{ error, fetching }, change] = useMutation(changeModelMetaMutation)
  const toast = useToast()
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const answer = await change({ input: { owner, repo, ...modelMetaInput(new FormData(event.currentTarget), meta) } })
    if (!answer.error) toast('Saved.')
  }
  return (
    <form className="panel stack" onSubmit={save}>
      <h2>Model</h2>
      {error && <FormError error={error} fields={['policyType', 'robot', 'baseModel', 'controlClass']} />}
      <Field label="Policy" hint="Its architecture, such as act." fault={faultOf(error, 'policyType')}>
        <input name="policyType" required maxLength={64} defaultValue={meta?.policyType ?? ''} autoComplete="off" />
      </Field>
      <Field label="Robot" hint="That it controls, as OWNER/NAME or in words." fault={faultOf(error, 'robot')}>
        <input name="robot" defaultValue={meta?.robotName ?? ''} autoComplete="off" />
      </Field>
      <Field label="Base model" hint="That it was fine-tuned from." fault={faultOf(error, 'baseModel')}>
        <input name="baseModel" defaultValue={meta?.baseModel ?? ''} autoComplete="off" />
      </Field>
      <Field label="Level" fault={faultOf(error, 'controlClass')}>
        <select name="controlClass" defaultValue={meta?.controlClass ?? ''}>
          <option value="">Not declared</option>
          <option value="PLANNER">Planner: which task comes next</option>
          <option value="SKILL">Skill: one movement or task at a time</option>
          <option value="REFLEX">Reflex: at the rate of the control loop; never served</option>
        </select>
      </Field>
      <div>
        <button type="submit" className="button primary" disabled={fetching}>
          Save model facts
        </button>
      </div>
    </form>
  )
}
