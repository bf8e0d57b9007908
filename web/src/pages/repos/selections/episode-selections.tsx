/** The selections of episodes, which runs name; those who may write make one of a list or of labels. */
import { useMemo } from 'react'
import { counted } from '../../../ui/format.ts'
import { LoadMore } from '../../../ui/load-more.tsx'
import { ErrorNotice } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { usePages } from '../../../ui/use-pages.ts'
import { useCanWrite } from '../repo-frame.tsx'
import { SelectionForm } from './selection-form.tsx'
import { type EpisodeSelectionsQuery, episodeSelectionsQuery } from './selections.graphql.ts'

type Selections = NonNullable<EpisodeSelectionsQuery['repo']>['episodeSelections']

const selectionsOf = ({ episodeSelections }: NonNullable<EpisodeSelectionsQuery['repo']>): Selections =>
  episodeSelections

/** Longer lists are cut: hub data select shows all. */
const MOST_SHOWN = 120
const short = (text: string) => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text)

export function EpisodeSelections({ owner, repo }: { readonly owner: string; readonly repo: string }) {
  const canWrite = useCanWrite(owner)
  const variables = useMemo(() => ({ owner, repo, after: null }), [owner, repo])
  const pages = usePages({ query: episodeSelectionsQuery, variables, field: 'repo', select: selectionsOf })
  if (!canWrite && pages.nodes.length === 0 && !pages.error) return null
  return (
    <section className="panel stack">
      <h2>Selections of episodes</h2>
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {canWrite && <SelectionForm owner={owner} repo={repo} changed={pages.refresh} />}
      {pages.isEmpty && <p className="dim">There is no selection yet.</p>}
      <ul className="lines">
        {pages.nodes.map(({ name, count, total, seq, episodes, fingerprint, note, createdAt, creator }) => (
          <li key={name}>
            <strong>{name}</strong> {count} of {counted(total, 'episode')} of version {seq},{' '}
            <code title={fingerprint}>{fingerprint.slice(0, 12)}</code>{' '}
            <span className="dim small">
              {creator && `${creator.handle}, `}
              <Time at={createdAt} />
            </span>
            <div className="small">{short(episodes)}</div>
            <div className="small">
              In a run: <code>{`svc://${owner}/${repo}#${name}`}</code>
            </div>
            {note && <div className="small">{note}</div>}
          </li>
        ))}
      </ul>
      <LoadMore pages={pages} />
    </section>
  )
}
