/**
 * An episode, a recorded motion or a robot in a README: what a link to it shows, once a person asks for it. A chunk of
 * its own.
 */
import { useState } from 'react'
import { Link } from '../../app/navigate.tsx'
import { readAddress } from '../../episodes/episode-address.ts'
import { useReading } from '../../ui/use-reading.ts'
import { EpisodesView } from './episodes-view.tsx'
import { stillOfEpisodeQuery } from './films/films.graphql.ts'
import type { LinkedEpisode } from './linked-episode.ts'
import RobotIn3d from './overview/robot-in-3d.tsx'
import { KeptMotions } from './rollouts/kept-motions.tsx'
import { type MotionAddress, readMotionAddress } from './rollouts/motion-address.ts'
import { namedResult } from './rollouts/result-name.ts'

interface Props {
  readonly episode: LinkedEpisode
  readonly title: string
}

/** MuJoCo and a robot are megabytes: before, only the picture that a worker made of it is shown. */
export default function EmbeddedEpisode({ episode, title }: Props) {
  const { page, owner, repo, search } = episode
  const [isOpen, setOpen] = useState(false)
  const query = Object.fromEntries(new URLSearchParams(search))
  const asked = readAddress(search)
  const motion = page === 'repoRollouts' ? readMotionAddress(search) : null
  const isRobot = page === 'repoRobot'
  // No film shows two motions, or a robot alone.
  const pause = isOpen || isRobot || (motion?.names.length ?? 1) > 1
  const [{ data }] = useReading({ query: stillOfEpisodeQuery, variables: filmsOf(episode, motion), pause })
  // A picture of another frame or robot than the link names, or of files that have changed since, would mislead.
  const still = data?.repo?.episodeFilms.nodes.find(
    (film) =>
      film.kind === 'STILL' &&
      film.url !== null &&
      !film.isOutdated &&
      (!query.frame || film.frame === asked.frame) &&
      (!query.robot || film.robot === query.robot),
  )?.url
  return (
    <figure className="embedded-episode">
      {isOpen && motion && <KeptMotions owner={owner} repo={repo} isEmbedded {...motion} />}
      {isOpen && isRobot && <RobotIn3d owner={owner} repo={repo} search={search} isEmbedded />}
      {isOpen && page === 'repoEpisodes' && <EpisodesView owner={owner} repo={repo} embedded={search} />}
      {!isOpen && (
        <>
          {still && <img src={still} width={640} height={360} alt="" />}
          <button type="button" className="button" onClick={() => setOpen(true)}>
            {isRobot ? `Show ${title}` : `Play ${title}`}
          </button>
        </>
      )}
      <figcaption>
        <Link to={page} params={{ owner, repo }} query={query}>
          {title}
        </Link>
      </figcaption>
    </figure>
  )
}

/** Films of a motion stand on the model of its result. */
function filmsOf({ owner, repo, search }: LinkedEpisode, motion: MotionAddress | null) {
  if (!motion) return { owner, repo, rollout: null, episode: readAddress(search).episode }
  const { id, ...model } = namedResult(motion.names[0] ?? '')
  return { ...model, rollout: id, episode: motion.seed }
}
