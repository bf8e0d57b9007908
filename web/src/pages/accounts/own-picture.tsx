/** The picture of a person or an org: chosen, made small here, and sent. */
import { type ChangeEvent, useState } from 'react'
import { useMutation } from 'urql'
import { Avatar } from '../../ui/avatar.tsx'
import { messageOf } from '../../ui/problem.ts'
import { useToast } from '../../ui/toast.tsx'
import { setAvatarMutation } from './profile.graphql.ts'
import { smallPicture } from './small-picture.ts'

interface Props {
  readonly account: { readonly handle: string; readonly avatarPath: string | null }
  readonly changed: () => void
}

export function OwnPicture({ account, changed }: Props) {
  const [{ fetching }, set] = useMutation(setAvatarMutation)
  const [fault, setFault] = useState<string | null>(null)
  const toast = useToast()
  const send = async (image: string | null) => {
    const { error } = await set({ input: { account: account.handle, image } })
    setFault(error ? messageOf(error) : null)
    if (error) return
    toast(image === null ? 'The picture is removed.' : 'The picture is set.')
    changed()
  }
  const choose = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0]
    if (!file) return
    try {
      await send(await smallPicture(file))
    } catch (error) {
      setFault(error instanceof Error ? error.message : 'The file cannot be read.')
    }
    target.value = ''
  }
  return (
    <div className="row">
      <Avatar account={account} size={64} />
      <label className="field">
        <span>Picture</span>
        <input type="file" accept="image/png,image/jpeg,image/webp" disabled={fetching} onChange={choose} />
        <small className="dim">Everyone sees it. It is cut to a square.</small>
        {fault && (
          <small className="field-error" role="alert">
            {fault}
          </small>
        )}
      </label>
      {account.avatarPath !== null && (
        <button type="button" className="button small" disabled={fetching} onClick={() => void send(null)}>
          Remove picture
        </button>
      )}
    </div>
  )
}
