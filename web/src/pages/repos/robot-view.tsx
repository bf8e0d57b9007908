/** The robot viewer on a page: what it needs of the repo, and its place. */
import '../../viewer/viewer.css'
import { pagePath } from '@hub/formats/page-paths'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useClient } from 'urql'
import { useShownTheme } from '../../app/use-theme.ts'
import { ErrorNotice } from '../../ui/states.tsx'
import { viewerLimits } from '../../viewer/limits.ts'
import { type MountedViewer, mountRobotViewer } from '../../viewer/mount-robot-viewer.ts'
import { policiesOf } from './policy-of.ts'
import { repoFiles } from './repo-files.ts'
import { type RobotCard, viewedCard } from './viewed-card.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly card: RobotCard
  /** The query of an address that it shows. */
  readonly search?: string
  /** In a README. */
  readonly isEmbedded?: boolean
}

export function RobotView({ owner, repo, card, search = '', isEmbedded = false }: Props) {
  const client = useClient()
  const theme = useShownTheme()
  const place = useRef<HTMLDivElement>(null)
  const mounted = useRef<MountedViewer>(null)
  const [error, setError] = useState<Error>()
  const viewed = useMemo(() => viewedCard(card), [card])
  const first = useRef(theme)
  first.current = theme
  useEffect(() => {
    const files = repoFiles(client, owner, repo)
    let closed = false
    files.list('', viewerLimits.listedFiles).then(
      (listed) => {
        if (closed || !place.current) return
        const options = {
          name: `${owner}/${repo}`,
          card: viewed,
          files: listed,
          sign: files.sign,
          policy: policiesOf(client, `${owner}/${repo}`),
          theme: first.current,
          address: `${location.origin}${pagePath('repoRobot', { owner, repo })}`,
          search,
          isEmbedded,
        }
        mounted.current = mountRobotViewer(place.current, options)
      },
      (reason: unknown) => setError(reason instanceof Error ? reason : new Error(String(reason))),
    )
    return () => {
      closed = true
      mounted.current?.close()
      mounted.current = null
    }
  }, [client, owner, repo, viewed, search, isEmbedded])
  useEffect(() => mounted.current?.light(theme), [theme])
  return error ? <ErrorNotice error={error} /> : <div ref={place} />
}
