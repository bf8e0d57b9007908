/** The episodes of a dataset. */
import { useQuery } from 'urql'
import { episodesRepoQuery } from './episodes.graphql.ts'
import { EpisodesView } from './episodes-view.tsx'
import { RepoFrame } from './repo-frame.tsx'

interface Props {
  readonly params: { readonly owner: string; readonly repo: string }
}

export function Page({ params }: Props) {
  const [{ data, error }, again] = useQuery({ query: episodesRepoQuery, variables: params })
  return (
    <RepoFrame params={params} part="Episodes" head={data?.repo} error={data ? undefined : error} retry={again}>
      <EpisodesView owner={params.owner} repo={params.repo} />
    </RepoFrame>
  )
}
