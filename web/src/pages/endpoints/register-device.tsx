/** Registers a robot that will use endpoints. */
import { type FormEvent, useState } from 'react'
import { useMutation } from 'urql'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { faultOf } from '../../ui/problem.ts'
import { FormError } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { registerDeviceMutation } from './endpoints.graphql.ts'

interface Props {
  /** Handles of the accounts that the person acts for. */
  readonly owners: readonly string[]
  readonly isOpen: boolean
  readonly close: () => void
  readonly registered: () => void
}

export function RegisterDevice({ owners, isOpen, close, registered }: Props) {
  const [{ error, fetching }, register] = useMutation(registerDeviceMutation)
  const [owner, setOwner] = useState(owners[0] ?? '')
  const toast = useToast()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const input = { owner, name: text('name'), robotRepo: text('robot') || null }
    const { data } = await register({ input })
    if (!data?.registerDevice) return
    toast(`${data.registerDevice.device.name} is registered. Approve it on the page of an endpoint.`)
    registered()
    close()
  }
  return (
    <Dialog title="Register a device" isOpen={isOpen} close={close}>
      <form className="stack" onSubmit={submit}>
        {error && <FormError error={error} fields={['owner', 'name', 'robotRepo']} />}
        {owners.length > 1 && (
          <Field label="Owner" fault={faultOf(error, 'owner')}>
            <select value={owner} onChange={({ target }) => setOwner(target.value)}>
              {owners.map((handle) => (
                <option key={handle}>{handle}</option>
              ))}
            </select>
          </Field>
        )}
        <Field label="Name" hint="Of this one robot, such as bench-2." fault={faultOf(error, 'name')}>
          <input name="name" required maxLength={64} autoComplete="off" />
        </Field>
        <Field label="Robot repo" hint="Its model, as OWNER/NAME. Optional." fault={faultOf(error, 'robotRepo')}>
          <input name="robot" autoComplete="off" />
        </Field>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={fetching}>
            Register device
          </button>
        </div>
      </form>
    </Dialog>
  )
}
