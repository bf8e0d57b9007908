/** An organization: members with their roles, and the spend cap. */
import { useMemo } from 'react'
import { Link } from '../../app/navigate.tsx'
import { useSession } from '../../app/session.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Empty, ErrorNotice, Loading } from '../../ui/states.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { Invitations } from './invitations.tsx'
import { Members } from './members.tsx'
import { type OrgQuery, orgQuery } from './orgs.graphql.ts'
import { OwnPicture } from './own-picture.tsx'
import { SignInFirst } from './sign-in-first.tsx'
import { SpendCapForm } from './spend-cap-form.tsx'

const membersOf = ({ members }: NonNullable<OrgQuery['account']>) => members

export function Page({ params: { handle } }: { readonly params: { readonly handle: string } }) {
  const { viewer } = useSession()
  const variables = useMemo(() => ({ handle, after: null }), [handle])
  const pages = usePages({
    ...{ query: orgQuery, variables, field: 'account', select: membersOf, pause: viewer === null, isFresh: true },
  })
  const { root: org } = pages
  const role = pages.nodes.find(({ user }) => user.id === viewer?.account.id)?.role
  const isMember = viewer?.orgs.some((one) => one.handle === handle)
  return (
    <SignInFirst title={handle}>
      <PageHeader title={org?.name ?? handle} about={`@${handle} · organization`}>
        <Link to="account" params={{ handle }} className="button">
          Repos
        </Link>
        {isMember && (
          <>
            <Link to="keys" params={{}} query={{ owner: handle }} className="button">
              API keys
            </Link>
            <Link to="audit" params={{}} query={{ account: handle }} className="button">
              Audit log
            </Link>
          </>
        )}
      </PageHeader>
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {org === undefined && !pages.error && <Loading />}
      {org !== undefined && (org?.kind !== 'ORG' || pages.nodes.length === 0) && (
        <Empty title="No organization of yours has this handle">
          <p>Ask one of its owners to add you.</p>
        </Empty>
      )}
      {org?.kind === 'ORG' && pages.nodes.length > 0 && (
        <div className="stack">
          <Members org={handle} members={pages.nodes} isOwner={role === 'OWNER'} changed={pages.refresh} />
          <LoadMore pages={pages} />
          {role === 'OWNER' && (
            <section className="panel" aria-label="Picture">
              <OwnPicture account={org} changed={pages.refresh} />
            </section>
          )}
          {role === 'OWNER' && <Invitations org={handle} />}
          {org.spend && (
            <SpendCapForm account={handle} spend={org.spend} canChange={role === 'OWNER'} changed={pages.refresh} />
          )}
        </div>
      )}
    </SignInFirst>
  )
}
