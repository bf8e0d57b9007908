/** A kept seed of one result, or of two beside each other, played in 3D as it was recorded. */
import '../../../viewer/viewer.css'
import '../../../episodes/episodes.css'
import { useEffect, useRef, useState } from 'react'
import { useClient } from 'urql'
import { Link } from '../../../app/navigate.tsx'
import { useShownTheme } from '../../../app/use-theme.ts'
import { addressKeeper } from '../../../episodes/address-keeper.ts'
import { filmOf, MOST_FILM_S } from '../../../episodes/film.ts'
import { rounded } from '../../../ui/format.ts'
import { shareBar } from '../../../viewer/panels/share-bar.ts'
import { EpisodeFilms } from '../films/episode-films.tsx'
import { type KeptMotion, keptMotion } from './kept-motion.ts'
import type { MotionAddress } from './motion-address.ts'
import { type MotionPlayer, motionPlayer } from './motion-player.ts'
import { namedResult } from './result-name.ts'
import { useLoads } from './use-loads.tsx'

interface Props extends MotionAddress {
  /** The robot. */
  readonly owner: string
  readonly repo: string
  /** In a README only what moves is shown: the page of the motion has the rest. */
  readonly isEmbedded?: boolean
}

export function KeptMotions({ owner, repo, names, seed, isEmbedded = false, ...begins }: Props) {
  const client = useClient()
  const { found: motions, waiting } = useLoads(
    { names, noun: 'Recording', load: (name, tell) => keptMotion(client, { owner, repo }, { name, seed }, tell) },
    [client, owner, repo, seed],
  )
  const query = { one: names[0] ?? '', seed: String(seed), ...(names[1] !== undefined && { other: names[1] }) }
  return (
    <section
      className={`stack${isEmbedded ? ' episodes-embedded' : ''}`}
      // A README may have several: they are no landmarks, and their figures have names.
      aria-label={isEmbedded ? undefined : 'Recorded rollouts in 3D'}
    >
      {!isEmbedded && (
        <p className="row">
          <Link to="repoRollouts" params={{ owner, repo }}>
            All boards
          </Link>
          <Link to="repoRollouts" params={{ owner, repo }} query={query}>
            Run it in 3D
          </Link>
        </p>
      )}
      {waiting}
      {motions && (
        <Sides key={`${names.join(' ')} ${seed}`} motions={motions} seed={seed} isEmbedded={isEmbedded} {...begins} />
      )}
    </section>
  )
}

interface SidesProps extends Pick<MotionAddress, 'seed' | 'frame' | 'speed'> {
  readonly motions: readonly KeptMotion[]
  readonly isEmbedded: boolean
}

function Sides({ motions, seed, isEmbedded, frame, speed }: SidesProps) {
  const theme = useShownTheme()
  const first = useRef({ theme, frame, speed })
  const places = useRef<(HTMLDivElement | null)[]>([])
  const bar = useRef<HTMLDivElement | null>(null)
  const player = useRef<MotionPlayer | null>(null)
  /** The frame that the address has because it is shown. */
  const kept = useRef(frame)
  const [faults, setFaults] = useState<readonly number[]>([])
  useEffect(() => {
    const onFault = (at: number) => setFaults((before) => [...before, at])
    const keep = addressKeeper(() => {
      kept.current = opened.frame()
      history.replaceState(history.state, '', addressOf(opened))
    })
    const onRest = () => {
      if (!isEmbedded) keep.soon()
    }
    const opened = motionPlayer(motions, { ...first.current, onFault, onRest })
    player.current = opened
    // The controls stay in view where the page is scrolled: above them nothing is covered.
    bar.current?.append(...(isEmbedded ? [] : shareOf(motions, opened)), opened.controls)
    for (const [at, stage] of opened.stages.entries()) places.current[at]?.append(stage.node)
    return () => {
      keep.stop()
      opened.close()
      player.current = null
    }
  }, [motions, isEmbedded])
  // A link to another frame of what is open.
  useEffect(() => {
    if (frame === kept.current) return
    kept.current = frame
    player.current?.go(frame)
  }, [frame])
  useEffect(() => {
    for (const { viewer } of player.current?.stages ?? []) viewer.light(theme)
  }, [theme])
  return (
    <>
      {!isEmbedded && (
        <h2>
          {motions[0]?.task}, seed {seed}, as it was recorded
        </h2>
      )}
      <div ref={bar} />
      <div className="sides">
        {motions.map(({ name, label, outcome }, at) => (
          <div key={name} className="panel stack">
            {/* The headings of a README are its author's. */}
            {isEmbedded ? <p className="small dim">{label}</p> : <h3>{label}</h3>}
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
      {!isEmbedded && motions.length === 1 && motions[0] && (
        <FilmsOf motion={motions[0]} seed={seed} frame={() => player.current?.frame() ?? 0} />
      )}
    </>
  )
}

/** What a person takes away of one motion; of two there is no one picture. */
function shareOf(motions: readonly KeptMotion[], player: MotionPlayer): readonly HTMLElement[] {
  const [motion] = motions
  const [stage] = player.stages
  if (motions.length !== 1 || !motion || !stage) return []
  return [
    shareBar({
      link: () => addressOf(player),
      title: () => `Seed ${motion.outcome.seed} of ${motion.label}, frame ${player.frame()}`,
      still: () => stage.viewer.still(),
      film: () => filmOf(stage.canvas, () => player.playThrough(MOST_FILM_S)),
    }),
  ]
}

/** The address of the page, with what is shown. */
function addressOf(player: MotionPlayer): URL {
  const address = new URL(location.href)
  address.searchParams.set('frame', String(player.frame()))
  if (player.speed() === 1) address.searchParams.delete('speed')
  else address.searchParams.set('speed', String(player.speed()))
  return address
}

interface FilmsProps {
  readonly motion: KeptMotion
  readonly seed: number
  readonly frame: () => number
}

/** Films stand on the model of the result. */
function FilmsOf({ motion, seed, frame }: FilmsProps) {
  const { owner, repo, id } = namedResult(motion.name)
  const seconds = motion.motion.times.at(-1) ?? 0
  return <EpisodeFilms owner={owner} repo={repo} kept={{ rollout: id, seed, frame, seconds }} />
}

const endings = {
  REACHED: 'It succeeds.',
  MISSED: 'It ran out of time without success.',
  FAILED: 'It fails.',
  DIVERGED: 'The motion diverged: a number is no longer finite.',
} as const
