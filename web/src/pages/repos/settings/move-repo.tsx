/** Gives a repo another name or owner. */
import { pagePath } from '@hub/formats/page-paths'
import { type FormEvent, useState } from 'react'
import { useMutation } from 'urql'
import { useLocation } from 'wouter'
import { accountsOf, useSession } from '../../../app/session.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { faultOf } from '../../../ui/problem.ts'
import { FormError } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { slugOf } from '../new/new-repo-input.ts'
import { moveRepoMutation } from './repo-settings.graphql.ts'

export function MoveRepo({ owner, repo }: { readonly owner: string; readonly repo: string }) {
  const { viewer } = useSession()
  const [isOpen, setOpen] = useState(false)
  const [slug, setSlug] = useState(repo)
  const [{ error, fetching }, move] = useMutation(moveRepoMutation)
  const [, go] = useLocation()
  const toast = useToast()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const to = String(new FormData(event.currentTarget).get('owner'))
    const { data } = await move({ input: { fromOwner: owner, fromRepo: repo, owner: to, slug } })
    const moved = data?.moveRepo?.repo
    if (!moved) return
    toast(`${owner}/${repo} is ${moved.fullName} now.`)
    go(pagePath('repoSettings', { owner: moved.owner.handle, repo: moved.slug }))
  }
  return (
    <section className="panel">
      <h2>Rename or move</h2>
      <p>
        Runs, models and checks that name it follow. The old address leads to the new one until another repo has it.
      </p>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Rename or move…
      </button>
      <Dialog title={`Rename or move ${owner}/${repo}`} isOpen={isOpen} close={() => setOpen(false)}>
        <form className="stack" onSubmit={submit}>
          {error && <FormError error={error} fields={['owner', 'slug']} />}
          <Field label="Owner" fault={faultOf(error, 'owner')}>
            <select name="owner" defaultValue={owner}>
              {accountsOf(viewer).map((handle) => (
                <option key={handle}>{handle}</option>
              ))}
            </select>
          </Field>
          <Field label="Name" hint="Lower-case letters, digits and hyphens." fault={faultOf(error, 'slug')}>
            <input
              required
              value={slug}
              maxLength={64}
              onChange={({ target }) => setSlug(slugOf(target.value))}
              autoComplete="off"
              spellCheck={false}
            />
          </Field>
          <div className="dialog-actions">
            <button type="button" className="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
            <button type="submit" className="button primary" disabled={fetching}>
              Rename or move
            </button>
          </div>
        </form>
      </Dialog>
    </section>
  )
}
