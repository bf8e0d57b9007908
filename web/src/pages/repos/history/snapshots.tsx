/** Named versions, which are kept; those who can write name the current one, and forget names. */
import { type FormEvent, useState } from 'react'
import { useMutation } from 'urql'
import { Link } from '../../../app/navigate.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { bytes, counted } from '../../../ui/format.ts'
import { faultOf, messageOf } from '../../../ui/problem.ts'
import { ErrorNotice } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { forgetNameMutation, nameStateMutation, type RepoHistoryQuery } from './history.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly snapshots: NonNullable<RepoHistoryQuery['repo']>['snapshots']['nodes']
  readonly canWrite: boolean
  readonly changed: () => void
}

export function Snapshots({ owner, repo, snapshots, canWrite, changed }: Props) {
  const [asked, setAsked] = useState<string | null>(null)
  const [{ fetching }, forget] = useMutation(forgetNameMutation)
  const toast = useToast()
  const confirm = async () => {
    if (asked === null) return
    const { error } = await forget({ input: { owner, repo, name: asked } })
    toast(error ? messageOf(error) : `${asked} is deleted.`)
    setAsked(null)
    if (!error) changed()
  }
  return (
    <section className="panel stack">
      <h2>Snapshots</h2>
      {snapshots.length === 0 && <p className="dim">No version has a name yet.</p>}
      <ul className="lines">
        {snapshots.map((one) => (
          <li key={one.id} className="row spread">
            <span>
              <Link to="repoCompare" params={{ owner, repo }} query={{ from: one.name }}>
                {one.name}
              </Link>{' '}
              <span className="dim small">
                {counted(one.fileCount, 'file')}, {bytes(one.totalBytes)}, <Time at={one.createdAt} />
              </span>
              {one.note && <div className="small">{one.note}</div>}
            </span>
            {canWrite && (
              <button type="button" className="button small danger" onClick={() => setAsked(one.name)}>
                Delete {one.name}
              </button>
            )}
          </li>
        ))}
      </ul>
      {canWrite && <NewSnapshot owner={owner} repo={repo} changed={changed} />}
      <Confirm
        title={`Delete the snapshot ${asked ?? ''}?`}
        isOpen={asked !== null}
        close={() => setAsked(null)}
        action="Delete snapshot"
        isBusy={fetching}
        confirm={() => void confirm()}
      >
        <p>Without a name, the version is kept no longer than other old versions.</p>
      </Confirm>
    </section>
  )
}

function NewSnapshot({ owner, repo, changed }: Pick<Props, 'owner' | 'repo' | 'changed'>) {
  const [{ error, fetching }, name] = useMutation(nameStateMutation)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const element = event.currentTarget
    const form = new FormData(element)
    const note = String(form.get('note')).trim() || null
    const answer = await name({ input: { owner, repo, name: String(form.get('name')).trim(), note } })
    if (answer.error) return
    element.reset()
    changed()
  }
  return (
    <form onSubmit={submit} className="stack">
      {error && <ErrorNotice error={error} />}
      <div className="row">
        <Field label="Name of the current version" fault={faultOf(error, 'name')}>
          <input name="name" required maxLength={64} autoComplete="off" />
        </Field>
        <Field label="Note">
          <input name="note" autoComplete="off" />
        </Field>
        <button type="submit" className="button" disabled={fetching}>
          Create snapshot
        </button>
      </div>
    </form>
  )
}
