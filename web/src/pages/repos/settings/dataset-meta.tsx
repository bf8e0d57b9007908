/** The meta block of a dataset: how much is recorded, and of what. */
import type { FormEvent } from 'react'
import { useMutation } from 'urql'
import { Field } from '../../../ui/field.tsx'
import { faultOf } from '../../../ui/problem.ts'
import { FormError } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { datasetMetaInput } from './meta-input.ts'
import { changeDatasetMetaMutation, type RepoSettingsQuery } from './repo-settings.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  /** Null until it is set. */
  readonly meta: NonNullable<RepoSettingsQuery['repo']>['datasetMeta']
}

export function DatasetMeta({ owner, repo, meta }: Props) {
  const [{ error, fetching }, change] = useMutation(changeDatasetMetaMutation)
  const toast = useToast()
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const answer = await change({ input: { owner, repo, ...datasetMetaInput(new FormData(event.currentTarget)) } })
    if (!answer.error) toast('Saved.')
  }
  return (
    <form className="panel stack" onSubmit={save}>
      <h2>Dataset</h2>
      {error && <FormError error={error} fields={['episodeCount', 'totalFrames', 'fps', 'robotType']} />}
      <Field label="Episodes" fault={faultOf(error, 'episodeCount')}>
        <input name="episodeCount" type="number" min="0" step="1" required defaultValue={meta?.episodeCount ?? ''} />
      </Field>
      <Field label="Frames" hint="In all episodes." fault={faultOf(error, 'totalFrames')}>
        <input name="totalFrames" type="number" min="0" step="1" required defaultValue={meta?.totalFrames ?? ''} />
      </Field>
      <Field label="Frames a second" hint="Optional." fault={faultOf(error, 'fps')}>
        <input name="fps" type="number" min="0" step="any" defaultValue={meta?.fps ?? ''} />
      </Field>
      <Field label="Robot" hint="In words, such as so100. Optional." fault={faultOf(error, 'robotType')}>
        <input name="robotType" defaultValue={meta?.robotType ?? ''} autoComplete="off" />
      </Field>
      <div>
        <button type="submit" className="button primary" disabled={fetching}>
          Save dataset facts
        </button>
      </div>
    </form>
  )
}
