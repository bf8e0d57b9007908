/** Gives a version of a repo a name, which keeps its files. */
import { type FormEvent, useState } from 'react'
import { useMutation } from 'urql'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { faultOf } from '../../../ui/problem.ts'
import { FormError } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { nameStateMutation } from './history.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  /** The number of the change. */
  readonly seq: number
  readonly named: () => void
}

export function NameVersion({ owner, repo, seq, named }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [{ error, fetching }, name] = useMutation(nameStateMutation)
  const toast = useToast()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (field: string) => String(form.get(field)).trim()
    const input = { owner, repo, at: String(seq), name: text('name'), note: text('note') || null }
    const answer = await name({ input })
    if (answer.error) return
    toast(`Change ${seq} is named ${input.name}.`)
    setOpen(false)
    named()
  }
  return (
    <>
      <button type="button" className="button small" aria-label={`Name change ${seq}`} onClick={() => setOpen(true)}>
        Name
      </button>
      <Dialog title={`Name the version of change ${seq}`} isOpen={isOpen} close={() => setOpen(false)}>
        <form className="stack" onSubmit={submit}>
          {error && <FormError error={error} fields={['name', 'note']} />}
          <Field label="Name" hint="Such as v1. The version is kept under it." fault={faultOf(error, 'name')}>
            <input name="name" required maxLength={64} autoComplete="off" spellCheck={false} />
          </Field>
          <Field label="Note" hint="Optional." fault={faultOf(error, 'note')}>
            <input name="note" autoComplete="off" />
          </Field>
          <div className="dialog-actions">
            <button type="button" className="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
            <button type="submit" className="button primary" disabled={fetching}>
              Create snapshot
            </button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
