/** Takes files out of every version of a repo, once its name has been typed: for a secret pushed by mistake. */
import { type FormEvent, useState } from 'react'
import { useMutation } from 'urql'
import { Field } from '../../../ui/field.tsx'
import { counted } from '../../../ui/format.ts'
import { faultOf } from '../../../ui/problem.ts'
import { FormError } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { purgeFilesMutation } from './repo-settings.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
}

export function PurgeFiles({ owner, repo }: Props) {
  const fullName = `${owner}/${repo}`
  const [paths, setPaths] = useState('')
  const [typed, setTyped] = useState('')
  const [{ data, error, fetching }, purge] = useMutation(purgeFilesMutation)
  const toast = useToast()
  const named = [...new Set(paths.split('\n').map((line) => line.trim()))].filter((line) => line !== '')
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const done = (await purge({ input: { owner, repo, paths: named } })).data?.purgeFiles
    if (!done) return
    setPaths(done.missing.join('\n'))
    setTyped('')
    if (done.purged.length > 0) toast(`${counted(done.purged.length, 'file')} purged.`)
  }
  const missing = data?.purgeFiles?.missing ?? []
  return (
    <form className="panel danger-zone stack" onSubmit={submit} aria-label="Purge files">
      <h2>Purge files from every version</h2>
      <p>
        For a secret that was pushed by mistake. The files leave this version, the history, snapshots, and what runs
        used. This cannot be undone: replace the secret as well, since others may have read it.
      </p>
      {error && <FormError error={error} fields={['paths']} />}
      <Field
        label="Paths"
        hint="One in a line, at most 100."
        fault={
          faultOf(error, 'paths') ??
          (missing.length > 0 ? `In no version: ${missing.join(', ')}. Check their spelling.` : null)
        }
      >
        <textarea
          className="mono"
          rows={3}
          spellCheck={false}
          value={paths}
          onChange={({ target }) => setPaths(target.value)}
        />
      </Field>
      <Field label={`Type ${fullName} to confirm the purge`}>
        <input value={typed} onChange={({ target }) => setTyped(target.value)} autoComplete="off" spellCheck={false} />
      </Field>
      <div>
        <button type="submit" className="button danger" disabled={fetching || named.length === 0 || typed !== fullName}>
          Purge files
        </button>
      </div>
    </form>
  )
}
