/** The episode viewer on a page. */
import 'uplot/dist/uPlot.min.css'
import '../../viewer/viewer.css'
import '../../episodes/episodes.css'
import { useEffect, useRef } from 'react'
import { useClient } from 'urql'
import { useShownTheme } from '../../app/use-theme.ts'
import { mountEpisodeViewer } from '../../episodes/mount-episode-viewer.ts'
import { repoFiles } from './repo-files.ts'

/** Files of `meta/` that are looked at: a dataset has a handful, and one for each thousands of episodes. */
const MOST_LISTED = 1_000

export function EpisodesView({ owner, repo }: { readonly owner: string; readonly repo: string }) {
  const client = useClient()
  const place = useRef<HTMLDivElement>(null)
  // The ink of the curves is read when they are drawn.
  const theme = useShownTheme()
  useEffect(() => {
    if (!place.current) return
    const files = repoFiles(client, owner, repo)
    const list = async (prefix: string) => {
      const found = await files.list(prefix, MOST_LISTED)
      if (found === null) throw new Error(`There are more than ${MOST_LISTED} files below ${prefix}.`)
      return found
    }
    const mounted = mountEpisodeViewer(place.current, { list, sign: files.sign })
    return () => mounted.close()
  }, [client, owner, repo, theme])
  return <div ref={place} />
}
