/** The selections of episodes, which runs name; those who can write make one of a list or of labels. */
import { useMemo } from 'react'
import { Command } from '../../../ui/command.tsx'
import { counted } from '../../../ui/format.ts'
import { LoadMore } from '../../../ui/load-more.tsx'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { usePages } from '../../../ui/use-pages.ts'
import { usePoll } from '../../../ui/use-poll.ts'
import { NewRunLink } from '../../runs/submit/new-run-link.tsx'
import { useCanWrite } from '../repo-frame.tsx'
import { SelectionForm } from './selection-form.tsx'
import { type EpisodeSelectionsQuery, episodeSelectionsQuery } from './selections.graphql.ts'

type Selections = NonNullable<EpisodeSelectionsQuery['repo']>['episodeSelections']

const selectionsOf = ({ episodeSelections }: NonNullable<EpisodeSelectionsQuery['repo']>): Selections =>
  episodeSelections

/** Between two looks. */
const LOOK_MS = 15_000

/** Longer lists are cut: hub data select OWNER/REPO#NAME prints all. */
const MOST_SHOWN = 120
const short = (text: string) => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text)

interface Props {
  readonly owner: string
  readonly repo: string
  /** A selection is made of the episodes that `meta/info.json` counts. */
  readonly isLeRobot: boolean
}

export function EpisodeSelections({ owner, repo, isLeRobot }: Props) {
  const canSelect = useCanWrite(owner) && isLeRobot
  const variables = useMemo(() => ({ owner, repo, after: null }), [owner, repo])
  const pages = usePages({ query: episodeSelectionsQuery, variables, field: 'repo', select: selectionsOf })
  const isShown = canSelect || pages.nodes.length > 0
  // What others select meanwhile, in another tab too.
  usePoll(() => {
    if (isShown) pages.refresh()
  }, LOOK_MS)
  if (!isShown && !pages.error) return null
  return (
    <section className="panel stack">
      <h2>Selections of episodes</h2>
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {canSelect && <SelectionForm owner={owner} repo={repo} changed={pages.refresh} />}
      {pages.root === undefined && !pages.error && <Loading />}
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
            <Command text={`svc://${owner}/${repo}#${name}`} label={`reference of ${name} in a run`} />
            <NewRunLink query={{ dataset: `${owner}/${repo}#${name}` }} />
            {note && <div className="small">{note}</div>}
          </li>
        ))}
      </ul>
      <LoadMore pages={pages} />
    </section>
  )
}
