/** Both robots of a map on a page; what moves them is not part of React. */
import '../../../viewer/viewer.css'
import '../../../episodes/episodes.css'
import '../../../episodes/replay/replay.css'
import '../../../map-view/map-view.css'
import type { JointMap } from '@hub/embodiment/joint-map'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useClient } from 'urql'
import { useShownTheme } from '../../../app/use-theme.ts'
import { isRepoName } from '../../../episodes/episode-address.ts'
import { RobotField } from '../robot-field.tsx'
import { robotRepo } from '../robot-repo.ts'

interface Props {
  readonly map: JointMap
  /** The repo whose joints the map reads. */
  readonly name: string
  /** The robot with these joints that is shown beside; empty for none. */
  readonly body: string
  /** Shows another one. */
  readonly show: (body: string) => void
  readonly robot: string
  /** Robots to choose from, for a source that is none itself. */
  readonly choices: ((choose: (robot: string) => void) => ReactNode) | null
}

export function MapView({ map: given, name, body, show, robot, choices }: Props) {
  const client = useClient()
  const theme = useShownTheme()
  const place = useRef<HTMLDivElement>(null)
  // A version never changes: that it is read again after its review is no reason to open the robots again.
  const [map] = useState(given)
  // A data set or a model has no body of its own to show: it may name a robot, and a person may choose another one.
  const [typed, setTyped] = useState(body)
  useEffect(() => setTyped(body), [body])
  const [fault, setFault] = useState('')
  const [isOpening, setOpening] = useState(true)
  useEffect(() => {
    let close: (() => void) | null = null
    let isOver = false
    const open = async () => {
      setFault('')
      setOpening(true)
      // A wrong name of the source takes away no more than the source.
      const told = (error: unknown) => {
        if (!isOver) setFault(error instanceof Error ? error.message : String(error))
        return null
      }
      const [ours, theirs, { mountMapView }] = await Promise.all([
        robotRepo(client, robot),
        body === '' ? null : robotRepo(client, body).catch(told),
        // It brings three.js.
        import('../../../map-view/mount-map-view.ts'),
      ])
      if (isOver) return
      setOpening(false)
      if (place.current) close = mountMapView(place.current, { map, robot: ours, source: theirs, theme })
    }
    open().catch((error: unknown) => {
      if (isOver) return
      setOpening(false)
      setFault(error instanceof Error ? error.message : String(error))
    })
    return () => {
      isOver = true
      close?.()
    }
  }, [client, map, robot, body, theme])
  const choose = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('body')).trim()
    if (text !== '' && !isRepoName(text)) return setFault('Write the robot as owner/robot: a repo of this hub.')
    show(text)
  }
  return (
    <div className="stack-small">
      {choices && (
        <form className="row small" onSubmit={choose}>
          <span>Robot with the joints of {name}</span>
          <RobotField label={`Robot with the joints of ${name}`} value={typed} change={setTyped} name="body" />
          <button type="submit" className="button small">
            Show beside
          </button>
        </form>
      )}
      {choices?.(show)}
      {fault !== '' && (
        <p className="viewer-problem" role="alert">
          {fault}
        </p>
      )}
      {isOpening && <p role="status">The robots are being loaded.</p>}
      <div ref={place} />
    </div>
  )
}
