/** A person adds, names and removes their own passkeys. */
import { type FormEvent, useState } from 'react'
import { type CombinedError, useClient, useMutation } from 'urql'
import { Action } from '../../ui/action.tsx'
import { browserOf } from '../../ui/browser-of.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { NoPasskeys } from '../../ui/no-passkeys.tsx'
import { createPasskey, type PasskeyUse } from '../../ui/passkeys.ts'
import { faultOf, type Problem } from '../../ui/problem.ts'
import { ErrorNotice, FormError, ProblemNotice } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import {
  addPasskeyMutation,
  newPasskeyQuery,
  removePasskeyMutation,
  renamePasskeyMutation,
  type SettingsQuery,
} from './settings.graphql.ts'

type Passkey = NonNullable<SettingsQuery['ownPasskeys']>[number]

interface Props {
  readonly passkeys: readonly Passkey[]
  readonly use: PasskeyUse
  readonly changed: () => void
}

export function OwnPasskeys({ passkeys, use, changed }: Props) {
  return (
    <section className="panel stack" aria-label="Passkeys">
      <h2>Passkeys</h2>
      {passkeys.length === 0 && <p className="dim">You have none yet. With one, your device signs you in.</p>}
      {passkeys.length > 0 && <PasskeyTable passkeys={passkeys} changed={changed} />}
      {use.can ? <AddPasskey changed={changed} /> : <NoPasskeys use={use} path="/settings" />}
    </section>
  )
}

function PasskeyTable({ passkeys, changed }: Pick<Props, 'passkeys' | 'changed'>) {
  return (
    <div className="table-wrap">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>Added</th>
            <th>Last used</th>
            <th>
              <span className="visually-hidden">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {passkeys.map((passkey) => (
            <tr key={passkey.id}>
              <td>
                {passkey.name} {passkey.backedUp && <span className="badge good">backed up</span>}
                {passkey.host !== location.hostname && <div className="dim small">only for {passkey.host}</div>}
              </td>
              <td className="nowrap">
                <Time at={passkey.createdAt} />
              </td>
              <td className="nowrap">{passkey.lastUsedAt ? <Time at={passkey.lastUsedAt} /> : 'never'}</td>
              <td className="right">
                <div className="row">
                  <Rename passkey={passkey} changed={changed} />
                  <Action
                    mutation={removePasskeyMutation}
                    variables={{ input: { id: passkey.id } }}
                    title={`Remove ${passkey.name}`}
                    done={`${passkey.name} is removed.`}
                    className="button small danger"
                    finished={changed}
                  >
                    <p>It no longer signs you in. Remove it on the device too. Sessions that it opened go on.</p>
                  </Action>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function AddPasskey({ changed }: Pick<Props, 'changed'>) {
  const client = useClient()
  const toast = useToast()
  const [refused, setRefused] = useState<CombinedError | Problem | null>(null)
  const [isBusy, setBusy] = useState(false)
  const add = async (name: string): Promise<CombinedError | Problem | null> => {
    const begun = await client.query(newPasskeyQuery, {}, { requestPolicy: 'network-only' }).toPromise()
    if (begun.error) return begun.error
    const { ceremony = '', options } = begun.data?.newPasskey ?? {}
    const created = await createPasskey(options)
    if ('problem' in created) return created.problem
    const { clientDataJSON: clientDataJson, attestationObject, transports } = created.made
    const input = { ceremony, name, clientDataJson, attestationObject, transports }
    const { error } = await client.mutation(addPasskeyMutation, { input }).toPromise()
    return error ?? null
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const element = event.currentTarget
    setBusy(true)
    const found = await add(String(new FormData(element).get('name')))
    setBusy(false)
    setRefused(found)
    if (found !== null) return
    toast('The passkey is added.')
    changed()
  }
  return (
    <form className="stack" onSubmit={submit}>
      {refused && ('graphQLErrors' in refused ? <ErrorNotice error={refused} /> : <ProblemNotice problem={refused} />)}
      <Field label="Name of the new passkey" hint="The device or the password manager that has it.">
        <input name="name" required maxLength={100} autoComplete="off" defaultValue={browserOf(navigator.userAgent)} />
      </Field>
      <div>
        <button type="submit" className="button primary" disabled={isBusy}>
          Add a passkey
        </button>
      </div>
    </form>
  )
}

function Rename({ passkey, changed }: { readonly passkey: Passkey; readonly changed: () => void }) {
  const [{ error, fetching }, rename] = useMutation(renamePasskeyMutation)
  const [isOpen, setOpen] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name'))
    const { data } = await rename({ input: { id: passkey.id, name } })
    if (!data?.renamePasskey) return
    setOpen(false)
    changed()
  }
  return (
    <>
      <button
        type="button"
        className="button small"
        onClick={() => setOpen(true)}
        aria-label={`Rename ${passkey.name}`}
      >
        Rename
      </button>
      <Dialog title={`Rename ${passkey.name}`} isOpen={isOpen} close={() => setOpen(false)}>
        <form className="stack" onSubmit={submit}>
          {error && <FormError error={error} fields={['name']} />}
          <Field label="Name" fault={faultOf(error, 'name')}>
            <input name="name" required maxLength={100} autoComplete="off" defaultValue={passkey.name} />
          </Field>
          <div className="dialog-actions">
            <button type="button" className="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
            <button type="submit" className="button primary" disabled={fetching}>
              Rename
            </button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
