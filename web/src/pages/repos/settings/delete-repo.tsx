/** Deletes a repo, once its name has been typed. */

import { pagePath } from '@hub/formats/page-paths'
import { useState } from 'react'
import { useMutation } from 'urql'
import { useLocation } from 'wouter'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { bytes, counted } from '../../../ui/format.ts'
import { repoParts } from '../../../ui/repo-parts.ts'
import { ErrorNotice } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { deleteRepoMutation } from './repo-settings.graphql.ts'

interface Props {
  readonly fullName: string
  readonly count: number
  readonly totalBytes: number
}

export function DeleteRepo({ fullName, count, totalBytes }: Props) {
  const { owner, repo } = repoParts(fullName)
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const [{ error, fetching }, remove] = useMutation(deleteRepoMutation)
  const [, go] = useLocation()
  const toast = useToast()
  const confirm = async () => {
    const answer = await remove({ input: { owner, repo } })
    if (answer.error) return
    toast(`${fullName} is deleted.`)
    go(pagePath('account', { handle: owner }))
  }
  return (
    <section className="panel danger-zone">
      <h2>Delete this repo</h2>
      <p>
        {counted(count, 'file')} ({bytes(totalBytes)}), with history and snapshots, are deleted for ever.
      </p>
      <button type="button" className="button danger" onClick={() => setOpen(true)}>
        Delete…
      </button>
      <Dialog title={`Delete ${fullName}?`} isOpen={isOpen} close={() => setOpen(false)}>
        {error && <ErrorNotice error={error} />}
        <p>This cannot be undone.</p>
        <Field label={`Type ${fullName} to confirm`}>
          <input
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={() => setOpen(false)}>
            Cancel
          </button>
          <button
            type="button"
            className="button danger"
            disabled={fetching || typed !== fullName}
            onClick={() => void confirm()}
          >
            Delete repo
          </button>
        </div>
      </Dialog>
    </section>
  )
}
