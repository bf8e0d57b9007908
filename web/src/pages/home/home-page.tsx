/** The first page: what this is for a visitor, and what waits, runs and changed for a person who is signed in. */

import type { PageName } from '@hub/formats/page-paths'
import { type ReactNode, useMemo } from 'react'
import { Link, signInPath } from '../../app/navigate.tsx'
import { accountsOf, useSession } from '../../app/session.tsx'
import { Live } from '../../ui/live.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Empty, ErrorNotice, Loading } from '../../ui/states.tsx'
import { itself, usePages } from '../../ui/use-pages.ts'
import { HoldTable } from '../holds/hold-table.tsx'
import { holdsChangedSubscription, holdsQuery } from '../holds/holds.graphql.ts'
import { NewRepoLink } from '../repos/new/new-repo-link.tsx'
import { RepoTable } from '../repos/repo-table.tsx'
import { type ReposQueryVariables, reposQuery } from '../repos/repos.graphql.ts'
import { RunTable } from '../runs/run-table.tsx'
import { runsChangedSubscription, runsQuery } from '../runs/runs.graphql.ts'
import { AccountNumbers } from './account-numbers.tsx'
import { FailedRuns } from './failed-runs.tsx'
import { Feed } from './feed.tsx'
import { FirstSteps } from './first-steps.tsx'
import { OrgRepos, SHOWN_ORGS } from './org-repos.tsx'

export function Page() {
  const { viewer, isLoading, error, again } = useSession()
  if (isLoading) return <Loading />
  if (error) return <ErrorNotice error={error} retry={again} />
  return viewer ? <Dashboard handle={viewer.account.handle} owners={accountsOf(viewer)} /> : <Welcome />
}

function Welcome() {
  return (
    <>
      <PageHeader
        title="Welcome"
        about="Datasets, models and robots of a robotics team; checks, training runs and endpoints."
      >
        <a className="button primary" href={signInPath()}>
          Sign in
        </a>
        <Link to="developers" params={{}} className="button">
          For developers
        </Link>
      </PageHeader>
      <Repos
        owner={null}
        title="Public repos"
        empty={
          <Empty title="No public repo yet">
            <p>Sign in to see those of your team, and to make one.</p>
          </Empty>
        }
      />
    </>
  )
}

function Dashboard({ handle, owners }: { readonly handle: string; readonly owners: readonly string[] }) {
  return (
    <>
      <PageHeader title={`Hello, ${handle}`} about="What waits for you, what runs, and what changed">
        <NewRepoLink />
      </PageHeader>
      <div className="stack">
        <AccountNumbers owners={owners} />
        <WaitingHolds owners={owners} />
        <FailedRuns owners={owners} />
        <RunningRuns owners={owners} />
        <Repos owner={handle} title="Your repos" empty={<FirstSteps />} />
        {owners.slice(1, 1 + SHOWN_ORGS).map((org) => (
          <OrgRepos key={org} handle={org} />
        ))}
        <Feed />
      </div>
    </>
  )
}

/** Nothing where nothing waits: most people have no agent. */
function WaitingHolds({ owners }: { readonly owners: readonly string[] }) {
  const variables = useMemo(() => ({ status: 'PENDING' as const }), [])
  const pages = usePages({ query: holdsQuery, variables, field: 'spendHolds', select: itself })
  return (
    <>
      <Live query={holdsChangedSubscription} owners={owners} changed={pages.refresh} />
      {(pages.error || pages.nodes.length > 0) && (
        <section className="stack" aria-label="Waiting for approval">
          <SectionHead title="Waiting for approval" to="holds" />
          {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
          {pages.nodes.length > 0 && <HoldTable holds={pages.nodes} />}
        </section>
      )}
    </>
  )
}

function RunningRuns({ owners }: { readonly owners: readonly string[] }) {
  const variables = useMemo(() => ({ status: 'RUNNING' as const }), [])
  const pages = usePages({ query: runsQuery, variables, field: 'runs', select: itself })
  return (
    <section className="stack" aria-label="Running">
      <Live query={runsChangedSubscription} owners={owners} changed={pages.refresh} />
      <SectionHead title="Running" to="runs" />
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {pages.isEmpty && <p className="dim">No run is in progress.</p>}
      {pages.nodes.length > 0 && <RunTable runs={pages.nodes} />}
    </section>
  )
}

interface ReposProps {
  readonly owner: string | null
  readonly title: string
  /** In place of the table where there is none. */
  readonly empty: ReactNode
}

function Repos({ owner, title, empty }: ReposProps) {
  const variables = useMemo<ReposQueryVariables>(() => ({ owner, sort: 'UPDATED' }), [owner])
  const pages = usePages({ query: reposQuery, variables, field: 'repos', select: itself })
  return (
    <section className="stack" aria-label={title}>
      <SectionHead title={title} to="repos" />
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {pages.root === undefined && !pages.error && <Loading />}
      {pages.isEmpty && empty}
      {pages.nodes.length > 0 && <RepoTable repos={pages.nodes} />}
    </section>
  )
}

function SectionHead({
  title,
  to,
}: {
  readonly title: string
  readonly to: Extract<PageName, 'holds' | 'runs' | 'repos'>
}) {
  return (
    <div className="row spread">
      <h2>{title}</h2>
      <Link to={to} params={{}}>
        See all
      </Link>
    </div>
  )
}
