/** What differs between two states of a repo. */

import { withHiddenShown } from '@hub/text/hidden-characters'
import { useMemo } from 'react'
import { Link } from '../../../app/navigate.tsx'
import { bytes, words } from '../../../ui/format.ts'
import { LoadMore } from '../../../ui/load-more.tsx'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { itself, usePages } from '../../../ui/use-pages.ts'
import { repoDiffQuery } from './history.graphql.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly from: string
  /** The current state if null. */
  readonly to: string | null
}

const tones = { ADDED: 'badge good', CHANGED: 'badge warn', REMOVED: 'badge bad' } as const

export function Diff({ owner, repo, from, to }: Props) {
  const variables = useMemo(() => ({ owner, repo, from, to, after: null }), [owner, repo, from, to])
  const pages = usePages({ query: repoDiffQuery, variables, field: 'diff', select: itself })
  return (
    <section className="panel stack">
      <div className="row spread">
        <h2>
          From {from} to {to ?? 'now'}
        </h2>
        <Link to="repoHistory" params={{ owner, repo }} className="button small">
          Close
        </Link>
      </div>
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {pages.root === undefined && !pages.error && <Loading />}
      {pages.isEmpty && <p className="dim">Nothing differs.</p>}
      <ul className="lines">
        {pages.nodes.map(({ path, change, before, after }) => (
          <li key={path} className="row">
            <span className={tones[change]}>{words(change)}</span>
            <code>{withHiddenShown(path)}</code>
            <span className="dim small">
              {before && bytes(before.size)}
              {before && after && ' → '}
              {after && bytes(after.size)}
            </span>
          </li>
        ))}
      </ul>
      <LoadMore pages={pages} />
    </section>
  )
}
