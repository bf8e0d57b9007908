/** A kept seed of one result, or of two beside each other, played in 3D as it was recorded. */
import '../../../viewer/viewer.css'
import '../../../episodes/episodes.css'
import { useEffect, useRef, useState } from 'react'
import { useClient } from 'urql'
import { Link } from '../../../app/navigate.tsx'
import { useShownTheme } from '../../../app/use-theme.ts'
import { rounded } from '../../../ui/format.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { type KeptMotion, keptMotion } from './kept-motion.ts'
import { type MotionPlayer, motionPlayer } from './motion-player.ts'

interface Props {
  /** The robot. */
  readonly owner: string
  readonly repo: string
  /** Of one result or two, as `resultName` has them. */
  readonly names: readonly string[]
  readonly seed: number
}

export function KeptMotions({ owner, repo, names, seed }: Props) {
  const client = useClient()
  const [motions, setMotions] = useState<readonly KeptMotion[]>()
  const [error, setError] = useState<Error>()
  const key = names.join(' ')
  useEffect(() => {
    let closed = false
    setMotions(undefined)
    setError(undefined)
    Promise.all(key.split(' ').map((name) => keptMotion(client, { owner, repo }, name, seed))).then(
      (found) => closed || setMotions(found),
      (reason: unknown) => closed || setError(reason instanceof Error ? reason : new Error(String(reason))),
    )
    return () => {
      closed = true
    }
  }, [client, owner, repo, key, seed])
  const query = { one: names[0] ?? '', seed: String(seed), ...(names[1] !== undefined && { other: names[1] }) }
  return (
    <section className="stack" aria-label="Recorded rollouts in 3D">
      <p className="row">
        <Link to="repoRollouts" params={{ owner, repo }}>
          All boards
        </Link>
        <Link to="repoRollouts" params={{ owner, repo }} query={query}>
          Run it in 3D
        </Link>
      </p>
      {error && <ErrorNotice error={error} />}
      {!motions && !error && <Loading />}
      {motions && <Sides key={`${key} ${seed}`} motions={motions} seed={seed} />}
    </section>
  )
}

interface SidesProps {
  readonly motions: readonly KeptMotion[]
  readonly seed: number
}

function Sides({ motions, seed }: SidesProps) {
  const theme = useShownTheme()
  const first = useRef(theme)
  const places = useRef<(HTMLDivElement | null)[]>([])
  const bar = useRef<HTMLDivElement | null>(null)
  const player = useRef<MotionPlayer | null>(null)
  const [faults, setFaults] = useState<readonly number[]>([])
  useEffect(() => {
    const opened = motionPlayer(motions, first.current, (at) => setFaults((before) => [...before, at]))
    player.current = opened
    bar.current?.append(opened.controls)
    for (const [at, stage] of opened.stages.entries()) places.current[at]?.append(stage.node)
    return () => {
      opened.close()
      player.current = null
    }
  }, [motions])
  useEffect(() => {
    for (const { viewer } of player.current?.stages ?? []) viewer.light(theme)
  }, [theme])
  return (
    <>
      <h2>
        {motions[0]?.task}, seed {seed}, as it was recorded
      </h2>
      <div ref={bar} />
      <div className="sides">
        {motions.map(({ name, label, outcome }, at) => (
          <div key={name} className="panel stack">
            <h3>{label}</h3>
            <div
              ref={(node) => {
                places.current[at] = node
              }}
            />
            <p>
              {endings[outcome.ending]} Return {rounded(outcome.return)} in {rounded(outcome.seconds)} s.
            </p>
            {faults.includes(at) && (
              <p role="status">The recording has another number of positions than the model that is shown.</p>
            )}
          </div>
        ))}
      </div>
    </>
  )
}

const endings = {
  REACHED: 'It succeeds.',
  MISSED: 'It ran out of time without success.',
  FAILED: 'It fails.',
  DIVERGED: 'The motion diverged: a number is no longer finite.',
} as const
