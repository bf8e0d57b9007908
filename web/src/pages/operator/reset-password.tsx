/** A link by which a user chooses a new way to sign in: asked for, and shown once. */
import { useState } from 'react'
import { useMutation } from 'urql'
import { Command } from '../../ui/command.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/states.tsx'
import { createResetLinkMutation } from './operator.graphql.ts'

export function ResetPassword({ handle }: { readonly handle: string }) {
  const [{ error, fetching }, create] = useMutation(createResetLinkMutation)
  const [isAsking, setAsking] = useState(false)
  const [path, setPath] = useState<string | null>(null)
  const make = async () => {
    const { data } = await create({ input: { user: handle } })
    if (!data?.createResetLink) return
    setAsking(false)
    setPath(data.createResetLink.path)
  }
  return (
    <>
      <button type="button" className="button small" aria-label={`Reset ${handle}`} onClick={() => setAsking(true)}>
        Reset
      </button>
      <Confirm
        title={`Reset the password of ${handle}?`}
        action="Make link"
        isOpen={isAsking}
        isBusy={fetching}
        close={() => setAsking(false)}
        confirm={() => void make()}
      >
        {error && <ErrorNotice error={error} />}
        <p>
          The link works once within an hour. What they choose then replaces their password and passkeys, and ends all
          their sessions; an older link ends now.
        </p>
      </Confirm>
      <Dialog title={`New password of ${handle}`} isOpen={path !== null} close={() => setPath(null)}>
        <p>Send this link to {handle}. It is shown only this once.</p>
        <Command label={`link of ${handle}`} text={`${location.origin}${path ?? ''}`} />
        <div className="dialog-actions">
          <button type="button" className="button primary" onClick={() => setPath(null)}>
            I have copied it
          </button>
        </div>
      </Dialog>
    </>
  )
}
