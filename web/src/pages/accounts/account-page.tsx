/** A person or an organization: their repos, members and last runs, as far as the caller sees them. */
import { useMemo } from 'react'
import { Link } from '../../app/navigate.tsx'
import { accountsOf, useSession } from '../../app/session.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { words } from '../../ui/format.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Empty, ErrorNotice, Loading } from '../../ui/states.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { NewRepoLink } from '../repos/new/new-repo-link.tsx'
import { RepoTable } from '../repos/repo-table.tsx'
import { RunTable } from '../repos/runs/run-table.tsx'
import { type AccountQuery, accountQuery } from './account.graphql.ts'

const reposOf = ({ repos }: NonNullable<AccountQuery['account']>) => repos

export function Page({ params: { handle } }: { readonly params: { readonly handle: string } }) {
  const variables = useMemo(() => ({ handle, after: null }), [handle])
  const pages = usePages({ query: accountQuery, variables, field: 'account', select: reposOf })
  const { viewer } = useSession()
  const { root: account } = pages
  const isOwn = accountsOf(viewer).includes(handle)
  const isOrgOfViewer = account?.kind === 'ORG' && isOwn
  return (
    <>
      <PageHeader
        title={account?.name ?? handle}
        heading={
          account && (
            <>
              <Avatar account={account} size={40} /> {account.name ?? handle}
            </>
          )
        }
        about={account && `@${account.handle} · ${account.kind === 'ORG' ? 'organization' : 'person'}`}
      >
        {isOwn && <NewRepoLink owner={handle} />}
        {isOrgOfViewer && (
          <Link to="org" params={{ handle }} className="button">
            Members and spend
          </Link>
        )}
      </PageHeader>
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {account === undefined && !pages.error && <Loading />}
      {account === null && (
        <Empty title="There is no such account">
          <p>Handles are lower-case letters, digits and inner hyphens.</p>
        </Empty>
      )}
      {account && (
        <div className="stack">
          {account.members.nodes.length > 0 && (
            <section className="panel" aria-label="Members">
              <div className="row">
                {account.members.nodes.map(({ user, role }) => (
                  <Link key={user.id} to="account" params={{ handle: user.handle }} className="badge">
                    <Avatar account={user} size={16} />
                    {user.name ?? user.handle}
                    {role === 'OWNER' && ` · ${words(role)}`}
                  </Link>
                ))}
              </div>
            </section>
          )}
          <section className="stack" aria-label="Repos">
            <h2>Repos</h2>
            {pages.nodes.length > 0 ? <RepoTable repos={pages.nodes} /> : <NoRepo />}
            <LoadMore pages={pages} />
          </section>
          {account.runs.nodes.length > 0 && (
            <section className="stack" aria-label="Last runs">
              <h2>Last runs</h2>
              <RunTable runs={account.runs.nodes} />
            </section>
          )}
        </div>
      )}
    </>
  )
}

function NoRepo() {
  return (
    <Empty title="No repo that you can see">
      <p>Private repos are shown to their owner and the members of their organization.</p>
    </Empty>
  )
}
