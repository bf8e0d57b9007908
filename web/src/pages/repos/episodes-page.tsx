/** The episodes of a dataset. */
import { rootField } from '../../ui/root-field.ts'
import { useReading } from '../../ui/use-reading.ts'
import { DatasetCheck } from './dataset-check/dataset-check.tsx'
import { episodesRepoQuery } from './episodes.graphql.ts'
import { EpisodesView } from './episodes-view.tsx'
import { EpisodeFilms } from './films/episode-films.tsx'
import { EpisodeLabels } from './labels/episode-labels.tsx'
import { RepoFrame } from './repo-frame.tsx'
import { EpisodeSelections } from './selections/episode-selections.tsx'

interface Props {
  readonly params: { readonly owner: string; readonly repo: string }
}

export function Page({ params }: Props) {
  const [answer, again] = useReading({ query: episodesRepoQuery, variables: params })
  const { value: head, error } = rootField(answer, 'repo')
  // In byte order, so the file itself is before all that begin with its path.
  const isLeRobot = head?.info.nodes[0]?.path === 'meta/info.json'
  return (
    <RepoFrame params={params} part="Episodes" head={head} error={error} retry={again}>
      <div className="stack">
        <EpisodesView owner={params.owner} repo={params.repo} />
        <EpisodeFilms owner={params.owner} repo={params.repo} />
        <DatasetCheck owner={params.owner} repo={params.repo} isLeRobot={isLeRobot} />
        <EpisodeLabels owner={params.owner} repo={params.repo} />
        <EpisodeSelections owner={params.owner} repo={params.repo} isLeRobot={isLeRobot} />
      </div>
    </RepoFrame>
  )
}
