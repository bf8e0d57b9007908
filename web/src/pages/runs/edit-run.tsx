/** Changes what people keep a run by: name, project, group, tags and notes. */
import { type FormEvent, useEffect, useState } from 'react'
import { useMutation } from 'urql'
import { Dialog } from '../../ui/dialog.tsx'
import { faultOf } from '../../ui/problem.ts'
import { FormError } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { updateRunMutation } from './run.graphql.ts'
import type { RunShown } from './run-shown.ts'
import { changedKept, type KeptDraft, keptDraftOf } from './submit/kept-draft.ts'
import { KeptFields } from './submit/kept-fields.tsx'
import './submit/form.css'

interface Props {
  readonly run: RunShown
  readonly isOpen: boolean
  readonly close: () => void
}

const fields = ['name', 'project', 'group', 'tags', 'notes']

export function EditRun({ run, isOpen, close }: Props) {
  const [{ error, fetching }, update] = useMutation(updateRunMutation)
  const [first, setFirst] = useState<KeptDraft>(() => keptDraftOf(run))
  const [draft, setDraft] = useState(first)
  const toast = useToast()
  // What others have changed meanwhile is there when the form is opened, and is not sent when it is not changed here.
  useEffect(() => {
    if (!isOpen) return
    setFirst(keptDraftOf(run))
    setDraft(keptDraftOf(run))
  }, [isOpen])
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { data } = await update({ input: { runId: run.id, ...changedKept(first, draft) } })
    if (!data?.updateRun) return
    toast('Saved.')
    close()
  }
  return (
    <Dialog title="Edit run" isOpen={isOpen} close={close}>
      <form className="stack" onSubmit={save}>
        {error && <FormError error={error} fields={fields} />}
        <KeptFields
          draft={draft}
          change={(part) => setDraft((before) => ({ ...before, ...part }))}
          fault={(name) => faultOf(error, name)}
        />
        <div className="dialog-actions">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={fetching}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  )
}
