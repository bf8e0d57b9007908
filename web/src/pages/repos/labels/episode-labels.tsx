/** What people said about the episodes: keep or drop, success or failure, a note; writers of the repo change it. */
import { useMemo } from 'react'
import { useMutation } from 'urql'
import { Link } from '../../../app/navigate.tsx'
import { LoadMore } from '../../../ui/load-more.tsx'
import { messageOf } from '../../../ui/problem.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { usePages } from '../../../ui/use-pages.ts'
import { usePoll } from '../../../ui/use-poll.ts'
import { useCanWrite } from '../repo-frame.tsx'
import { LabelForm } from './label-form.tsx'
import { type EpisodeLabelsQuery, episodeLabelsQuery, undoEpisodeLabelsMutation } from './labels.graphql.ts'

type Labels = NonNullable<EpisodeLabelsQuery['repo']>['episodeLabels']
type Label = Labels['nodes'][number]

/** Between two looks: an undo in another tab is seen after so long. */
const LOOK_MS = 15_000

const labelsOf = ({ episodeLabels }: NonNullable<EpisodeLabelsQuery['repo']>): Labels => episodeLabels

export function EpisodeLabels({ owner, repo }: { readonly owner: string; readonly repo: string }) {
  const canWrite = useCanWrite(owner)
  const variables = useMemo(() => ({ owner, repo, after: null }), [owner, repo])
  const pages = usePages({ query: episodeLabelsQuery, variables, field: 'repo', select: labelsOf })
  const [{ fetching }, undo] = useMutation(undoEpisodeLabelsMutation)
  const toast = useToast()
  const undoOne = async ({ id, episode }: Label) => {
    const { error } = await undo({ input: { owner, repo, labels: [id] } })
    toast(error ? messageOf(error) : `Episode ${episode} is as it was before.`)
    pages.refresh()
  }
  const isShown = canWrite || pages.nodes.length > 0
  // What others say meanwhile, in another tab too.
  usePoll(() => {
    if (isShown) pages.refresh()
  }, LOOK_MS)
  if (!isShown && !pages.error) return null
  return (
    <section className="panel stack">
      <h2>Labels of episodes</h2>
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {canWrite && <LabelForm owner={owner} repo={repo} changed={pages.refresh} />}
      {pages.root === undefined && !pages.error && <Loading />}
      {pages.isEmpty && <p className="dim">No episode has a label yet.</p>}
      <ul className="lines">
        {pages.nodes.map((label) => (
          <li key={label.id} className="row spread">
            <span>
              <Link to="repoEpisodes" params={{ owner, repo }} query={{ episode: String(label.episode) }}>
                Episode {label.episode}
              </Link>{' '}
              {wordsOf(label)}{' '}
              <span className="dim small">
                {label.creator && `${label.creator.handle}, `}
                <Time at={label.createdAt} />
              </span>
              {label.note && <div className="small">{label.note}</div>}
            </span>
            {canWrite && (
              <button type="button" className="button small" disabled={fetching} onClick={() => void undoOne(label)}>
                Undo the label of episode {label.episode}
              </button>
            )}
          </li>
        ))}
      </ul>
      <LoadMore pages={pages} />
    </section>
  )
}

const words = { KEEP: 'keep', DROP: 'drop', SUCCESS: 'success', FAILURE: 'failure' } as const

const wordsOf = ({ choice, outcome, note }: Label): string => {
  const said = [choice, outcome].flatMap((word) => (word ? [words[word]] : []))
  return said.length === 0 && !note ? 'no label' : said.join(', ')
}
