/** Which links of a README are played in it. Pure. */
import { matchPage } from '@hub/formats/page-paths'

export interface LinkedEpisode {
  /** The page of an episode of a data set, of a recorded motion on a robot, or of the robot. */
  readonly page: 'repoEpisodes' | 'repoRollouts' | 'repoRobot'
  /** The data set, or the robot. */
  readonly owner: string
  readonly repo: string
  /** The query of that page. */
  readonly search: string
}

/** What a whole address of this hub (`origin`) shows that says `embed=1`; null for any other address. */
export function linkedEpisode(address: string, origin: string): LinkedEpisode | null {
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  const match = url.origin === origin ? matchPage(url.pathname) : null
  const query = url.searchParams
  if (match === null || query.get('embed') !== '1') return null
  const { name: page } = match
  // Boards, and a seed that is run again, are pages of their own.
  const isMotion = page === 'repoRollouts' && query.has('kept') && query.has('one')
  if (page !== 'repoEpisodes' && page !== 'repoRobot' && !isMotion) return null
  query.delete('embed')
  const { owner = '', repo = '' } = match.params
  return { page, owner, repo, search: query.toString() }
}
