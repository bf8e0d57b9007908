/** All repos that the caller sees, with search and facets that are kept in the address. */

import { useMemo } from 'react'
import { commands } from '../../app/commands.ts'
import { signInPath, useSearchParams } from '../../app/navigate.tsx'
import { useIsVisitor } from '../../app/session.tsx'
import { DelayedInput } from '../../ui/delayed-input.tsx'
import { count, words } from '../../ui/format.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { itself, usePages } from '../../ui/use-pages.ts'
import { NewRepoLink } from './new/new-repo-link.tsx'
import { RepoTable } from './repo-table.tsx'
import { type ReposQueryVariables, reposQuery } from './repos.graphql.ts'

const kinds = ['DATASET', 'MODEL', 'ROBOT'] as const

interface Bucket {
  readonly value: string
  readonly count: number
}

type Change = (edit: (next: URLSearchParams) => void) => void

export function Page() {
  const [search, setSearch] = useSearchParams()
  const kind = kinds.find((one) => one === search.get('kind')) ?? null
  const q = search.get('q')
  const license = search.get('license')
  const tags = search.getAll('tag')
  const tagKey = tags.join('\n')
  const variables = useMemo<ReposQueryVariables>(
    () => ({ kind, q: q || null, tag: tagKey ? tagKey.split('\n') : null, license: license || null, sort: 'UPDATED' }),
    [kind, q, tagKey, license],
  )
  const pages = usePages({ query: reposQuery, variables, field: 'repos', select: itself })
  const change: Change = (edit) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        edit(next)
        return next
      },
      { replace: true },
    )
  // Tags and licenses that a person goes through stay where they are.
  const facets = pages.kept?.facets
  return (
    <>
      <PageHeader title="Repos" about={pages.root && `${count(pages.root.facets.total)} that you can see`}>
        <NewRepoLink />
      </PageHeader>
      <div className="columns">
        <div className="stack">
          <Filters kind={kind} q={q} license={license} licenses={facets?.licenses ?? []} change={change} />
          <PageList pages={pages} empty={<NoRepos isFiltered={search.size > 0} />}>
            <RepoTable repos={pages.nodes} />
          </PageList>
        </div>
        <Tags found={facets?.tags} tags={tags} change={change} />
      </div>
    </>
  )
}

/** A visitor can make none, and sees only what is public. */
function NoRepos({ isFiltered }: { readonly isFiltered: boolean }) {
  const isVisitor = useIsVisitor()
  return (
    <Empty title={isFiltered ? 'No repo matches' : 'No repo yet'}>
      {isFiltered && <p>Search for less, or choose fewer filters.</p>}
      {isVisitor ? (
        <>
          <p>Only public repos are listed: sign in to see those of your team.</p>
          <a className="button" href={signInPath()}>
            Sign in
          </a>
        </>
      ) : (
        !isFiltered && (
          <p>
            Choose New repo above, or send a folder from a terminal: <code>{commands.pushNew('dataset')}</code>
          </p>
        )
      )}
    </Empty>
  )
}

interface FiltersProps {
  readonly kind: (typeof kinds)[number] | null
  readonly q: string | null
  readonly license: string | null
  /** Those that there are. */
  readonly licenses: readonly Bucket[]
  readonly change: Change
}

function Filters({ kind, q, license, licenses, change }: FiltersProps) {
  const isListed = license === null || licenses.some(({ value }) => value === license)
  return (
    <search className="row">
      <DelayedInput
        label="Search repos"
        placeholder="Search names and descriptions"
        size={36}
        value={q ?? ''}
        change={(text) => change((next) => (text ? next.set('q', text) : next.delete('q')))}
      />
      <select
        aria-label="Kind"
        value={kind ?? ''}
        onChange={({ target }) =>
          change((next) => (target.value ? next.set('kind', target.value) : next.delete('kind')))
        }
      >
        <option value="">All kinds</option>
        {kinds.map((one) => (
          <option key={one} value={one}>
            {words(one)}s
          </option>
        ))}
      </select>
      {(licenses.length > 0 || license !== null) && (
        <select
          aria-label="License"
          value={license ?? ''}
          onChange={({ target }) =>
            change((next) => (target.value ? next.set('license', target.value) : next.delete('license')))
          }
        >
          <option value="">All licenses</option>
          {!isListed && <option value={license}>{license}</option>}
          {licenses.map(({ value, count: number }) => (
            <option key={value} value={value}>
              {value} ({number})
            </option>
          ))}
        </select>
      )}
    </search>
  )
}

interface TagsProps {
  readonly found: readonly Bucket[] | undefined
  /** Those that are chosen. */
  readonly tags: readonly string[]
  readonly change: Change
}

function Tags({ found, tags, change }: TagsProps) {
  return (
    <aside className="panel" aria-label="Tags">
      <h2>Tags</h2>
      <div className="row">
        {found?.map(({ value, count: number }) => (
          <button
            key={value}
            type="button"
            aria-pressed={tags.includes(value)}
            className={tags.includes(value) ? 'button small primary' : 'button small'}
            onClick={() =>
              change((next) => {
                next.delete('tag')
                for (const tag of tags.includes(value) ? tags.filter((one) => one !== value) : [...tags, value])
                  next.append('tag', tag)
              })
            }
          >
            {value} <span className="small">{number}</span>
          </button>
        ))}
        {found?.length === 0 && <span className="dim">None of these repos has a tag.</span>}
      </div>
    </aside>
  )
}
