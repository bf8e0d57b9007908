/** Makes an empty repo, and leads to it. */

import { pagePath } from '@hub/formats/page-paths'
import { type FormEvent, useState } from 'react'
import { useMutation } from 'urql'
import { useLocation } from 'wouter'
import { commands } from '../../../app/commands.ts'
import { Link, useSearchParams } from '../../../app/navigate.tsx'
import { accountsOf, useSession } from '../../../app/session.tsx'
import { Field } from '../../../ui/field.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { faultOf } from '../../../ui/problem.ts'
import { Empty, FormError } from '../../../ui/states.tsx'
import { SignInFirst } from '../../accounts/sign-in-first.tsx'
import '../repo.css'
import { createRepoMutation } from './new-repo.graphql.ts'
import { newRepoInput, slugOf } from './new-repo-input.ts'

const fields = ['owner', 'kind', 'slug', 'description', 'tags', 'visibility']

export function Page() {
  const { viewer } = useSession()
  return (
    <SignInFirst title="New repo">
      <PageHeader title="New repo" about="Files of one dataset, model or robot, with each version kept." />
      {viewer?.scope === 'READ' ? (
        <Empty title="This session can only read">
          <p>Sign in with a session that may write.</p>
        </Empty>
      ) : (
        <NewRepo owners={accountsOf(viewer)} />
      )}
    </SignInFirst>
  )
}

function NewRepo({ owners }: { readonly owners: readonly string[] }) {
  const [{ error, fetching }, create] = useMutation(createRepoMutation)
  const [search] = useSearchParams()
  const [, go] = useLocation()
  const asked = owners.find((one) => one === search.get('owner')) ?? owners[0] ?? ''
  const [owner, setOwner] = useState(asked)
  const [slug, setSlug] = useState('')
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { data } = await create({ input: newRepoInput(new FormData(event.currentTarget)) })
    const repo = data?.createRepo?.repo
    if (repo) go(pagePath('repoFiles', { owner: repo.owner.handle, repo: repo.slug, path: '' }))
  }
  return (
    <form className="panel stack form-page" onSubmit={submit}>
      {error && <FormError error={error} fields={fields} />}
      <Field label="Owner" hint="You, or an organization that you are a member of." fault={faultOf(error, 'owner')}>
        <select name="owner" value={owner} onChange={({ target }) => setOwner(target.value)}>
          {owners.map((handle) => (
            <option key={handle}>{handle}</option>
          ))}
        </select>
      </Field>
      <Field
        label="Name"
        hint={`Lower-case letters, digits and hyphens. Its address: ${location.host}/${owner}/${slug || 'name'}`}
        fault={faultOf(error, 'slug')}
      >
        <input
          name="slug"
          required
          maxLength={64}
          value={slug}
          onChange={({ target }) => setSlug(slugOf(target.value))}
          autoComplete="off"
          spellCheck={false}
        />
      </Field>
      <Field label="Kind" hint="It cannot be changed later." fault={faultOf(error, 'kind')}>
        <select name="kind" defaultValue={search.get('kind')?.toUpperCase() ?? 'DATASET'}>
          <option value="DATASET">Dataset: recorded episodes or other data</option>
          <option value="MODEL">Model: weights of a policy</option>
          <option value="ROBOT">Robot: MJCF or URDF with its meshes</option>
        </select>
      </Field>
      <Field label="Who can read it" fault={faultOf(error, 'visibility')}>
        <select name="visibility" defaultValue="PRIVATE">
          <option value="PRIVATE">Private: you, or the members of the organization</option>
          <option value="PUBLIC">Public: everyone who reaches this hub</option>
        </select>
      </Field>
      <Field label="Description" hint="Optional." fault={faultOf(error, 'description')}>
        <textarea name="description" rows={3} maxLength={4000} />
      </Field>
      <Field label="Tags" hint="Words, separated by spaces or commas. Optional." fault={faultOf(error, 'tags')}>
        <input name="tags" autoComplete="off" />
      </Field>
      <div className="row">
        <button type="submit" className="button primary" disabled={fetching}>
          Create repo
        </button>
        <Link to="repos" params={{}} className="button">
          Cancel
        </Link>
      </div>
      <p className="dim small">
        In a terminal: <code>{commands.createRepo('dataset')}</code>
      </p>
    </form>
  )
}
