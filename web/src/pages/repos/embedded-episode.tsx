/** An episode in a README: what a link to it shows, once a person asks for it. A chunk of its own. */
import { useState } from 'react'
import { Link } from '../../app/navigate.tsx'
import { readAddress } from '../../episodes/episode-address.ts'
import { useReading } from '../../ui/use-reading.ts'
import { EpisodesView } from './episodes-view.tsx'
import { stillOfEpisodeQuery } from './films/films.graphql.ts'
import type { LinkedEpisode } from './linked-episode.ts'

interface Props {
  readonly episode: LinkedEpisode
  readonly title: string
}

/** MuJoCo and a robot are megabytes: before, only the picture that a worker made of the episode is shown. */
export default function EmbeddedEpisode({ episode, title }: Props) {
  const { owner, repo, search } = episode
  const [isOpen, setOpen] = useState(false)
  const query = Object.fromEntries(new URLSearchParams(search))
  const asked = readAddress(search)
  const variables = { owner, repo, episode: asked.episode }
  const [{ data }] = useReading({ query: stillOfEpisodeQuery, variables, pause: isOpen })
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
      {isOpen ? (
        <EpisodesView owner={owner} repo={repo} embedded={search} />
      ) : (
        <>
          {still && <img src={still} width={640} height={360} alt="" />}
          <button type="button" className="button" onClick={() => setOpen(true)}>
            {`Play ${title}`}
          </button>
        </>
      )}
      <figcaption>
        <Link to="repoEpisodes" params={{ owner, repo }} query={query}>
          {title}
        </Link>
      </figcaption>
    </figure>
  )
}
