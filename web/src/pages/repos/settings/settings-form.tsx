/** Description, tags and visibility of a repo. */
import type { FormEvent } from 'react'
import { useMutation } from 'urql'
import { Field } from '../../../ui/field.tsx'
import { faultOf } from '../../../ui/problem.ts'
import { ErrorNotice } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { tagsIn } from '../new/new-repo-input.ts'
import type { RepoHeadFragment } from '../overview/repo.graphql.ts'
import { changeRepoMutation } from './repo-settings.graphql.ts'

export function SettingsForm({ head }: { readonly head: RepoHeadFragment }) {
  const [{ error, fetching }, change] = useMutation(changeRepoMutation)
  const toast = useToast()
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const answer = await change({
      input: {
        owner: head.owner.handle,
        repo: head.slug,
        description: String(form.get('description')).trim() || null,
        tags: tagsIn(String(form.get('tags'))),
        visibility: form.get('visibility') === 'PUBLIC' ? 'PUBLIC' : 'PRIVATE',
      },
    })
    if (!answer.error) toast('Saved.')
  }
  return (
    <form className="panel stack" onSubmit={save}>
      <h2>About this repo</h2>
      {error && <ErrorNotice error={error} />}
      <Field label="Description" fault={faultOf(error, 'description')}>
        <textarea name="description" rows={3} defaultValue={head.description ?? ''} />
      </Field>
      <Field label="Tags" hint="Words, separated by spaces or commas." fault={faultOf(error, 'tags')}>
        <input name="tags" defaultValue={head.tags.join(' ')} />
      </Field>
      <Field
        label="Visibility"
        hint="Everyone on the internet who reaches this hub can read a public repo."
        fault={faultOf(error, 'visibility')}
      >
        <select name="visibility" defaultValue={head.visibility}>
          <option value="PRIVATE">Private</option>
          <option value="PUBLIC">Public</option>
        </select>
      </Field>
      <div>
        <button type="submit" className="button primary" disabled={fetching}>
          Save
        </button>
      </div>
    </form>
  )
}
