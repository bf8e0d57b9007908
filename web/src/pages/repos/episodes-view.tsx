/** The episode viewer on a page. */
import 'uplot/dist/uPlot.min.css'
import '../../viewer/viewer.css'
import '../../episodes/episodes.css'
import '../../episodes/replay/replay.css'
import { pagePath } from '@hub/formats/page-paths'
import { useEffect, useRef } from 'react'
import { useClient } from 'urql'
import { useSearch } from '../../app/navigate.tsx'
import { useShownTheme } from '../../app/use-theme.ts'
import type { MountedEpisodes } from '../../episodes/episode-options.ts'
import { mountEpisodeViewer } from '../../episodes/mount-episode-viewer.ts'
import { replayRobots } from './replay-robots.ts'
import { repoFiles } from './repo-files.ts'

/** Files of `meta/` that are looked at: a dataset has a handful, and one for each thousands of episodes. */
const MOST_LISTED = 1_000

interface Props {
  readonly owner: string
  readonly repo: string
  /** In a README: the query of the address that it shows. The page's own address is left alone. */
  readonly embedded?: string
}

export function EpisodesView({ owner, repo, embedded }: Props) {
  const client = useClient()
  const place = useRef<HTMLDivElement>(null)
  const mounted = useRef<MountedEpisodes>(null)
  // The ink of the curves is read when they are drawn.
  const theme = useShownTheme()
  const search = useSearch()
  useEffect(() => {
    if (!place.current) return
    const files = repoFiles(client, owner, repo)
    const list = async (prefix: string) => {
      const found = await files.list(prefix, MOST_LISTED)
      if (found === null) throw new Error(`There are more than ${MOST_LISTED} files below ${prefix}.`)
      return found
    }
    const address = `${location.origin}${pagePath('repoEpisodes', { owner, repo })}`
    mounted.current = mountEpisodeViewer(place.current, {
      files: { list, sign: files.sign },
      robots: replayRobots(client, { owner, repo }),
      page: { name: `${owner}/${repo}`, address },
      isEmbedded: embedded !== undefined,
      theme,
      search: embedded ?? location.search.slice(1),
      onAddress(next) {
        if (embedded === undefined)
          history.replaceState(history.state, '', next === '' ? location.pathname : `?${next}`)
      },
    })
    return () => {
      mounted.current?.close()
      mounted.current = null
    }
  }, [client, owner, repo, theme, embedded])
  // Not `search`, which is decoded.
  useEffect(() => {
    if (embedded === undefined && search !== null) mounted.current?.go(location.search.slice(1))
  }, [search, embedded])
  return <div ref={place} />
}
