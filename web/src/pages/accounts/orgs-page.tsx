/** The organizations of the person, and a new one. */

import { pagePath } from '@hub/formats/page-paths'
import type { FormEvent } from 'react'
import { useClient, useMutation } from 'urql'
import { useLocation } from 'wouter'
import { Link } from '../../app/navigate.tsx'
import { sessionQuery } from '../../app/session.graphql.ts'
import { useSession } from '../../app/session.tsx'
import { Field } from '../../ui/field.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { faultOf } from '../../ui/problem.ts'
import { Empty, ErrorNotice } from '../../ui/states.tsx'
import { createOrgMutation } from './orgs.graphql.ts'
import { SignInFirst } from './sign-in-first.tsx'

export function Page() {
  const { viewer } = useSession()
  const orgs = viewer?.orgs ?? []
  return (
    <SignInFirst title="Organizations">
      <PageHeader
        title="Organizations"
        about="Accounts that several people act for, with repos and a spend cap of their own."
      />
      <div className="columns">
        <div className="panel">
          {orgs.length === 0 && (
            <Empty title="You are in no organization">
              <p>Make one here, or ask an owner of one for a link that invites you.</p>
            </Empty>
          )}
          <ul className="lines">
            {orgs.map((org) => (
              <li key={org.id}>
                <Link to="org" params={{ handle: org.handle }}>
                  {org.name ?? org.handle}
                </Link>{' '}
                <span className="dim">@{org.handle}</span>
              </li>
            ))}
          </ul>
        </div>
        <NewOrg />
      </div>
    </SignInFirst>
  )
}

function NewOrg() {
  const [{ error, fetching }, create] = useMutation(createOrgMutation)
  const client = useClient()
  const [, go] = useLocation()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const handle = String(form.get('handle')).trim()
    const answer = await create({ input: { handle, name: String(form.get('name')).trim() || null } })
    if (answer.error) return
    await client.query(sessionQuery, {}, { requestPolicy: 'network-only' }).toPromise()
    go(pagePath('org', { handle }))
  }
  return (
    <form className="panel stack" onSubmit={submit}>
      <h2>New organization</h2>
      {error && <ErrorNotice error={error} />}
      <Field label="Handle" hint="Lower-case letters, digits and inner hyphens." fault={faultOf(error, 'handle')}>
        <input name="handle" required autoComplete="off" spellCheck={false} />
      </Field>
      <Field label="Name" fault={faultOf(error, 'name')}>
        <input name="name" autoComplete="off" />
      </Field>
      <div>
        <button type="submit" className="button primary" disabled={fetching}>
          Create
        </button>
      </div>
    </form>
  )
}
