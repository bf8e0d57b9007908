/** The runs that a repo comes from, and what uses it. */
import type { ReactNode } from 'react'
import { Link } from '../../../app/navigate.tsx'
import { words } from '../../../ui/format.ts'
import { repoParts } from '../../../ui/repo-parts.ts'
import { Status } from '../../../ui/status.tsx'
import { Time } from '../../../ui/time.tsx'
import { RepoLink } from '../repo-table.tsx'
import type { RepoQuery, RepoRunLinkFragment } from './repo.graphql.ts'

type Repo = NonNullable<RepoQuery['repo']>

export function Lineage({ repo }: { readonly repo: Repo }) {
  const { producedBy, usedBy } = repo
  const { owner, repo: slug } = repoParts(repo.fullName)
  const all = (
    <Link to="repoRuns" params={{ owner, repo: slug }} className="small">
      All runs
    </Link>
  )
  const isUsed = [usedBy.runs, usedBy.repos, usedBy.endpoints].some(({ nodes }) => nodes.length > 0)
  return (
    <>
      {repo.sources.length > 0 && (
        <Section title="Made from" more={null}>
          {repo.sources.map(({ relation, name, repo: source }) => (
            <li key={`${relation} ${name}`}>
              {source ? <RepoLink fullName={source.fullName} /> : <span>{name}</span>}
              <span className="row small dim">{words(relation)}</span>
            </li>
          ))}
        </Section>
      )}
      {producedBy.nodes.length > 0 && (
        <Section title="Comes from" more={producedBy.pageInfo.hasNextPage && all}>
          {producedBy.nodes.map((run) => (
            <RunLine key={run.id} run={run} />
          ))}
        </Section>
      )}
      <Section title="Used by" more={usedBy.runs.pageInfo.hasNextPage && all}>
        {usedBy.runs.nodes.map((run) => (
          <RunLine key={run.id} run={run} />
        ))}
        {usedBy.repos.nodes.map(({ id, fullName, kind }) => (
          <li key={id}>
            <RepoLink fullName={fullName} />
            <span className="row small dim">{words(kind)}</span>
          </li>
        ))}
        {usedBy.repos.pageInfo.hasNextPage && <li className="dim">More repos name it.</li>}
        {usedBy.endpoints.nodes.map(({ id, name, status }) => (
          <li key={id}>
            <Link to="endpoint" params={{ id }}>
              {name ?? id}
            </Link>
            <span className="row small">
              <Status of={status} /> <span className="dim">endpoint</span>
            </span>
          </li>
        ))}
        {!isUsed && <li className="dim">No run, repo or endpoint that you can see uses it.</li>}
      </Section>
    </>
  )
}

interface SectionProps {
  readonly title: string
  readonly more: ReactNode
  readonly children: ReactNode
}

function Section({ title, more, children }: SectionProps) {
  return (
    <section className="panel">
      <h2>{title}</h2>
      <ul className="lines">{children}</ul>
      {more}
    </section>
  )
}

function RunLine({ run }: { readonly run: RepoRunLinkFragment }) {
  return (
    <li>
      <Link to="run" params={{ id: run.id }}>
        {run.displayName}
      </Link>
      <span className="row small dim">
        <Status of={run.status} /> <Time at={run.createdAt} />
      </span>
    </li>
  )
}
