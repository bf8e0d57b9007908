/** The button beside a checkpoint that makes a named model repo of it. */
import { pagePath } from '@hub/formats/page-paths'
import { type FormEvent, useState } from 'react'
import { useMutation } from 'urql'
import { useLocation } from 'wouter'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { count } from '../../../ui/format.ts'
import { faultOf } from '../../../ui/problem.ts'
import { FormError } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { promoteCheckpointMutation } from './promote.graphql.ts'

interface Props {
  readonly runId: string
  readonly step: number
  /** The account that the model is of unless another one is typed. */
  readonly owner: string
}

/** Places of the faults that stand at the name. */
const fields = ['repo']

export function PromoteCheckpoint({ runId, step, owner }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [{ error, fetching }, promote] = useMutation(promoteCheckpointMutation)
  const [, go] = useLocation()
  const toast = useToast()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const input = {
      runId,
      step,
      repo: String(form.get('repo') ?? '').trim(),
      visibility: form.get('visibility') === 'PUBLIC' ? ('PUBLIC' as const) : ('PRIVATE' as const),
    }
    const made = (await promote({ input })).data?.promoteCheckpoint?.repo
    if (!made) return
    toast('Promoted.')
    go(pagePath('repo', { owner: made.owner.handle, repo: made.slug }))
  }
  return (
    <>
      <button type="button" className="button small" onClick={() => setOpen(true)}>
        Promote<span className="visually-hidden"> step {count(step)}</span>
      </button>
      <Dialog title="Promote a checkpoint" isOpen={isOpen} close={() => setOpen(false)}>
        <form className="stack" onSubmit={submit}>
          {error && <FormError error={error} fields={fields} />}
          <p>
            Makes the files of step {count(step)} a model repo of their own, which can be served. No bytes are sent. In
            a repo that is there already, files of the same name get a new version.
          </p>
          <Field
            label="Model repo"
            hint="As OWNER/NAME. It is created if it does not exist."
            fault={faultOf(error, 'repo')}
          >
            <input name="repo" required autoComplete="off" defaultValue={`${owner}/`} />
          </Field>
          <Field label="Who sees a new repo">
            <select name="visibility" defaultValue="PRIVATE">
              <option value="PRIVATE">Private: {owner} alone</option>
              <option value="PUBLIC">Public: everyone</option>
            </select>
          </Field>
          <div className="dialog-actions">
            <button type="button" className="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
            <button type="submit" className="button primary" disabled={fetching}>
              Promote
            </button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
