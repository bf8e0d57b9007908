/** API keys of the person and of their organizations. */
import { useMemo, useState } from 'react'
import { useSearchParams } from '../../app/navigate.tsx'
import { accountsOf, useSession } from '../../app/session.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { itself, usePages } from '../../ui/use-pages.ts'
import { KeyTable } from './key-table.tsx'
import { keysQuery } from './keys.graphql.ts'
import { NewKey } from './new-key.tsx'
import { SignInFirst } from './sign-in-first.tsx'

export function Page() {
  const { viewer } = useSession()
  const [search, setSearch] = useSearchParams()
  const [isNew, setNew] = useState(false)
  const accounts = accountsOf(viewer)
  const owner = accounts.find((handle) => handle === search.get('owner')) ?? accounts[0] ?? null
  const variables = useMemo(() => ({ owner, after: null }), [owner])
  const pages = usePages({ query: keysQuery, variables, field: 'apiKeys', select: itself, pause: owner === null })
  return (
    <SignInFirst title="API keys">
      <PageHeader title="API keys" about="Programs act as an account by a key. Each can do only what its scope allows.">
        {accounts.length > 1 && (
          <select
            aria-label="Account"
            value={owner ?? ''}
            onChange={({ target }) => setSearch({ owner: target.value }, { replace: true })}
          >
            {accounts.map((handle) => (
              <option key={handle}>{handle}</option>
            ))}
          </select>
        )}
        <button type="button" className="button primary" onClick={() => setNew(true)}>
          New key
        </button>
      </PageHeader>
      <div className="stack">
        <PageList
          pages={pages}
          empty={
            <Empty title="No key yet">
              <p>Create one for each program, so that each can be revoked alone.</p>
            </Empty>
          }
        >
          <KeyTable keys={pages.nodes} changed={pages.refresh} />
        </PageList>
        <p className="dim">
          The Python client and the command line are <a href="/install">installed from this hub</a>, with one line each.
        </p>
      </div>
      {owner !== null && <NewKey owner={owner} isOpen={isNew} close={() => setNew(false)} created={pages.refresh} />}
    </SignInFirst>
  )
}
