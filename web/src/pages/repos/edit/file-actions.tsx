/** Renames or deletes a file or a folder, with a message. A chunk of its own. */
import { pagePath } from '@hub/formats/page-paths'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { readings } from '../../../app/client.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { ErrorNotice } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { deletePath, type Place, renamePath } from './move-files.ts'
import { useSeenVersion } from './use-seen-version.ts'

type Act = 'rename' | 'delete'

export default function FileActions(place: Place) {
  const { owner, repo, path, isFolder } = place
  const [act, setAct] = useState<Act | null>(null)
  const { seen, fault, setFault } = useSeenVersion(place, act !== null)
  const [isBusy, setBusy] = useState(false)
  const [, go] = useLocation()
  const toast = useToast()
  const close = () => setAct(null)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (seen === null || act === null) return
    const form = new FormData(event.currentTarget)
    const meant = { ...place, seen, message: String(form.get('message')).trim() }
    const to = String(form.get('to') ?? '')
      .trim()
      .replace(/^\/+|\/+$/g, '')
    setBusy(true)
    setFault(null)
    try {
      if (act === 'rename') await renamePath(readings, meant, to)
      else await deletePath(readings, meant)
      toast(act === 'rename' ? `${path} is ${to} now.` : `${path} is deleted. The history keeps it.`)
      setAct(null)
      go(pagePath('repoFiles', { owner, repo, path: act === 'rename' ? to : path.split('/').slice(0, -1).join('/') }))
    } catch (error) {
      setFault(error instanceof Error ? error : new Error(String(error)))
    } finally {
      setBusy(false)
    }
  }
  const what = isFolder ? 'folder' : 'file'
  return (
    <>
      <button type="button" className="button" onClick={() => setAct('rename')}>
        Rename
      </button>
      <button type="button" className="button" onClick={() => setAct('delete')}>
        Delete
      </button>
      <Dialog
        title={act === 'rename' ? `Rename the ${what}` : `Delete the ${what}`}
        isOpen={act !== null}
        close={close}
      >
        <form className="stack" onSubmit={submit}>
          {fault && <ErrorNotice error={fault} />}
          {act === 'rename' ? (
            <Field label="New path" hint="From the root of the repo. Another folder moves it there.">
              <input name="to" required defaultValue={path} autoComplete="off" spellCheck={false} />
            </Field>
          ) : (
            <p>
              <code>{path}</code> is deleted from the current version. Older versions keep it.
            </p>
          )}
          <Field label="Message" hint="Optional.">
            <input name="message" maxLength={500} autoComplete="off" />
          </Field>
          <Actions close={close}>
            <button
              type="submit"
              className={act === 'rename' ? 'button primary' : 'button danger'}
              disabled={isBusy || seen === null}
            >
              {act === 'rename' ? `Rename ${what}` : `Delete ${what}`}
            </button>
          </Actions>
        </form>
      </Dialog>
    </>
  )
}

function Actions({ close, children }: { readonly close: () => void; readonly children: ReactNode }) {
  return (
    <div className="dialog-actions">
      <button type="button" className="button" onClick={close}>
        Cancel
      </button>
      {children}
    </div>
  )
}
