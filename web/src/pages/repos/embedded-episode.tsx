/** An episode in a README: what a link to it shows, once a person asks for it. A chunk of its own. */
import { useState } from 'react'
import { Link } from '../../app/navigate.tsx'
import { EpisodesView } from './episodes-view.tsx'
import type { LinkedEpisode } from './linked-episode.ts'

interface Props {
  readonly episode: LinkedEpisode
  readonly title: string
}

/** MuJoCo and a robot are megabytes: nothing is loaded before. */
export default function EmbeddedEpisode({ episode, title }: Props) {
  const { owner, repo, search } = episode
  const [isOpen, setOpen] = useState(false)
  const query = Object.fromEntries(new URLSearchParams(search))
  return (
    <figure className="embedded-episode">
      {isOpen ? (
        <EpisodesView owner={owner} repo={repo} embedded={search} />
      ) : (
        <button type="button" className="button" onClick={() => setOpen(true)}>
          {`Play ${title}`}
        </button>
      )}
      <figcaption>
        <Link to="repoEpisodes" params={{ owner, repo }} query={query}>
          {title}
        </Link>
      </figcaption>
    </figure>
  )
}
