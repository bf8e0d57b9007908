/** Which links of a README are played in it. Pure. */
import { matchPage } from '@hub/formats/page-paths'

export interface LinkedEpisode {
  readonly owner: string
  readonly repo: string
  /** The query of the episode's page. */
  readonly search: string
}

/** The episode of a whole address of this hub (`origin`) that says `embed=1`; null for any other address. */
export function linkedEpisode(address: string, origin: string): LinkedEpisode | null {
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  const match = url.origin === origin ? matchPage(url.pathname) : null
  if (match?.name !== 'repoEpisodes' || url.searchParams.get('embed') !== '1') return null
  url.searchParams.delete('embed')
  const { owner = '', repo = '' } = match.params
  return { owner, repo, search: url.searchParams.toString() }
}
