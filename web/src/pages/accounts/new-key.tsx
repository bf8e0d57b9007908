/** Creates a key, and shows its token once. */

import { scopeWords } from '@hub/formats/scope-words'
import { type FormEvent, useState } from 'react'
import { useMutation } from 'urql'
import { Command } from '../../ui/command.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { faultOf } from '../../ui/problem.ts'
import { FormError } from '../../ui/states.tsx'
import { keyInput } from './key-input.ts'
import { createKeyMutation } from './keys.graphql.ts'

interface Props {
  readonly owner: string
  readonly isOpen: boolean
  readonly close: () => void
  readonly created: () => void
}

export function NewKey({ owner, isOpen, close, created }: Props) {
  const [{ error, fetching }, create] = useMutation(createKeyMutation)
  const [token, setToken] = useState<string | null>(null)
  const end = () => {
    setToken(null)
    close()
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { data } = await create({ input: keyInput(owner, new FormData(event.currentTarget), Date.now()) })
    if (!data?.createApiKey) return
    setToken(data.createApiKey.token)
    created()
  }
  if (token !== null)
    return (
      <Dialog title="Your new key" isOpen={isOpen} close={end}>
        <p>Copy the token now: it is shown only this once.</p>
        <Command label="token of the key" text={token} />
        <div className="dialog-actions">
          <button type="button" className="button primary" onClick={end}>
            I have copied it
          </button>
        </div>
      </Dialog>
    )
  return (
    <Dialog title={`New key of ${owner}`} isOpen={isOpen} close={end}>
      <form className="stack" onSubmit={submit}>
        {error && <FormError error={error} fields={['name', 'scope', 'expiresAt', 'repos', 'dailyGpuHourQuota']} />}
        <Field label="Name" hint="The program or machine that uses it." fault={faultOf(error, 'name')}>
          <input name="name" required maxLength={100} autoComplete="off" />
        </Field>
        <Field label="Scope" fault={faultOf(error, 'scope')}>
          <select name="scope" defaultValue="READ">
            <option value="READ">Read: {scopeWords.read}</option>
            <option value="WRITE">Write: {scopeWords.write}</option>
            <option value="TRAIN">Train: {scopeWords.train}</option>
          </select>
        </Field>
        <Field label="Expires" fault={faultOf(error, 'expiresAt')}>
          <select name="days" defaultValue="90">
            <option value="7">in 7 days</option>
            <option value="30">in 30 days</option>
            <option value="90">in 90 days</option>
            <option value="365">in a year</option>
            <option value="">never</option>
          </select>
        </Field>
        <Field
          label="Only these repos"
          hint="Full names, separated by spaces. All if empty."
          fault={faultOf(error, 'repos')}
        >
          <input name="repos" placeholder="ada/arm ada/pick" autoComplete="off" />
        </Field>
        <Field label="GPU hours a day" hint="No limit if empty." fault={faultOf(error, 'dailyGpuHourQuota')}>
          <input name="gpuHours" type="number" min="0" step="any" />
        </Field>
        <label className="row">
          <input type="checkbox" name="agent" /> Agent key: may not delete repos or make them public, and its hosted
          work waits for a person
        </label>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={end}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={fetching}>
            Create key
          </button>
        </div>
      </form>
    </Dialog>
  )
}
