/** Gives a file the bytes that it had in another version, as a new version with a message. */
import { type FormEvent, useState } from 'react'
import { readings } from '../../../app/client.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { ErrorNotice } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { fileVersion } from '../edit/file-version.ts'
import { assertAsSeen, commitOnCurrent } from '../edit/on-current.ts'
import { useSeenVersion } from '../edit/use-seen-version.ts'
import { hubCalls } from '../upload/hub-calls.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly path: string
  /** Of the version whose bytes the file gets. */
  readonly commitId: string
  readonly restored: () => void
}

export function RestoreFile({ owner, repo, path, commitId, restored }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { seen, fault, setFault } = useSeenVersion({ owner, repo, path }, isOpen)
  const [isBusy, setBusy] = useState(false)
  const toast = useToast()
  const short = commitId.slice(0, 7)
  const current = () => fileVersion(readings, owner, repo, path)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (seen === null) return
    const message = String(new FormData(event.currentTarget).get('message')).trim()
    setBusy(true)
    setFault(null)
    try {
      const { added, changed } = await commitOnCurrent(
        hubCalls(readings, owner, repo, new AbortController().signal),
        current,
        (now) => {
          assertAsSeen(path, seen, now)
          return { copy: [{ from: path, at: commitId, path }], message: message || null }
        },
      )
      toast(added + changed > 0 ? `${path} is as it was in ${short}.` : `${path} had these bytes already.`)
      setOpen(false)
      restored()
    } catch (error) {
      setFault(error instanceof Error ? error : new Error(String(error)))
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <button type="button" className="button small" aria-label={`Restore ${short}`} onClick={() => setOpen(true)}>
        Restore
      </button>
      <Dialog title={`Restore the file of ${short}`} isOpen={isOpen} close={() => setOpen(false)}>
        <form className="stack" onSubmit={submit}>
          {fault && <ErrorNotice error={fault} />}
          <p>
            <code>{path}</code> gets the bytes that it had then, as a new version. Nothing is lost.
          </p>
          <Field label="Message" hint="Optional.">
            <input
              name="message"
              maxLength={500}
              autoComplete="off"
              defaultValue={`Restore ${path} of ${short}`.slice(0, 500)}
            />
          </Field>
          <div className="dialog-actions">
            <button type="button" className="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
            <button type="submit" className="button primary" disabled={isBusy || seen === null}>
              Restore file
            </button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
