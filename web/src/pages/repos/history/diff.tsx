/** The files that differ between two versions of a repo; each opens what differs in it. */

import { withHiddenShown } from '@hub/text/hidden-characters'
import { useMemo, useState } from 'react'
import { bytes, words } from '../../../ui/format.ts'
import { LoadMore } from '../../../ui/load-more.tsx'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { itself, usePages } from '../../../ui/use-pages.ts'
import { type RepoDiffQuery, repoDiffQuery } from './compare.graphql.ts'
import { FileDiff } from './file-diff.tsx'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly from: string
  readonly to: string
}

type Change = NonNullable<RepoDiffQuery['diff']>['nodes'][number]

const tones = { ADDED: 'badge good', CHANGED: 'badge warn', REMOVED: 'badge bad' } as const
/** A page that has no more opens them all. */
const MOST_OPENED = 3

export function Diff({ owner, repo, from, to }: Props) {
  const variables = useMemo(() => ({ owner, repo, from, to, after: null }), [owner, repo, from, to])
  const pages = usePages({ query: repoDiffQuery, variables, field: 'diff', select: itself })
  const areOpen = !pages.hasMore && pages.nodes.length <= MOST_OPENED
  return (
    <section className="panel stack">
      <h2>Changed files</h2>
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {pages.root === undefined && !pages.error && <Loading />}
      {pages.isEmpty && <p className="dim">Nothing differs.</p>}
      <div>
        {pages.nodes.map((change) => (
          <ChangedFile
            key={change.path}
            owner={owner}
            repo={repo}
            from={from}
            to={to}
            change={change}
            isOpen={areOpen}
          />
        ))}
      </div>
      <LoadMore pages={pages} />
    </section>
  )
}

interface FileProps extends Props {
  readonly change: Change
  readonly isOpen: boolean
}

function ChangedFile({ owner, repo, from, to, change: { path, change, before, after }, isOpen }: FileProps) {
  const [wasOpened, setOpened] = useState(isOpen)
  return (
    <details className="diff-file" open={isOpen} onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary>
        <span className={tones[change]}>{words(change)}</span> <code>{withHiddenShown(path)}</code>{' '}
        <span className="dim small">
          {before && bytes(before.size)}
          {before && after && ' → '}
          {after && bytes(after.size)}
        </span>
      </summary>
      {wasOpened && (
        <FileDiff
          owner={owner}
          repo={repo}
          path={path}
          before={before && { ...before, at: from }}
          after={after && { ...after, at: to }}
        />
      )}
    </details>
  )
}
