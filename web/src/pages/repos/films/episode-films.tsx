/** Pictures and short videos of the episodes, which a worker makes; who may write asks for one of what is shown. */
import { useMutation, useQuery } from 'urql'
import { Link } from '../../../app/navigate.tsx'
import { readAddress } from '../../../episodes/episode-address.ts'
import { messageOf } from '../../../ui/problem.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { usePoll } from '../../../ui/use-poll.ts'
import { useCanWrite } from '../repo-frame.tsx'
import { type EpisodeFilmsQuery, episodeFilmsQuery, requestEpisodeFilmMutation } from './films.graphql.ts'

type Film = NonNullable<EpisodeFilmsQuery['repo']>['episodeFilms']['nodes'][number]

/** Between two looks at films that wait or are being made. */
const LOOK_MS = 3000

interface Props {
  readonly owner: string
  readonly repo: string
}

export function EpisodeFilms({ owner, repo }: Props) {
  const canWrite = useCanWrite(owner)
  const [{ data, error }, again] = useQuery({ query: episodeFilmsQuery, variables: { owner, repo } })
  const [{ fetching }, request] = useMutation(requestEpisodeFilmMutation)
  const toast = useToast()
  const films = data?.repo?.episodeFilms.nodes ?? []
  const look = () => again({ requestPolicy: 'network-only' })
  usePoll(() => {
    if (films.some(isOpen)) look()
  }, LOOK_MS)
  if (!canWrite && films.length === 0 && !error) return null
  // The address follows what is shown.
  const ask = async (kind: 'STILL' | 'VIDEO') => {
    const { episode, frame, robot } = readAddress(location.search)
    const input = { owner, repo, kind, episode, robot, ...(kind === 'STILL' && { frame }) }
    const answer = await request({ input })
    toast(answer.error ? messageOf(answer.error) : 'It is asked for: a worker makes it.')
    look()
  }
  return (
    <section className="panel stack">
      <h2>Pictures and videos by a worker</h2>
      {error && <ErrorNotice error={error} retry={look} />}
      {canWrite && (
        <div className="row">
          <button type="button" className="button" disabled={fetching} onClick={() => void ask('STILL')}>
            Have a picture made
          </button>
          <button type="button" className="button" disabled={fetching} onClick={() => void ask('VIDEO')}>
            Have a video made
          </button>
        </div>
      )}
      {data === undefined && !error && <Loading />}
      <ul className="lines">
        {films.map((film) => (
          <li key={film.id}>
            <ShownFilm film={film} owner={owner} repo={repo} />
          </li>
        ))}
      </ul>
    </section>
  )
}

const isOpen = ({ status }: Film) => status === 'QUEUED' || status === 'RUNNING'

function ShownFilm({ film, owner, repo }: Props & { readonly film: Film }) {
  const { kind, episode, frame, robot, url, status, error, requestedAt, isOutdated } = film
  const name = kind === 'STILL' ? `Episode ${episode}, frame ${frame}` : `Episode ${episode}`
  const query = { episode: String(episode), frame: String(frame), robot }
  return (
    <figure className="episode-film">
      {url !== null && kind === 'STILL' && <img src={url} width={320} height={180} alt={`${name}, on ${robot}`} />}
      {url !== null && kind === 'VIDEO' && (
        <video src={url} width={320} height={180} controls muted preload="none" aria-label={`${name}, on ${robot}`} />
      )}
      <figcaption>
        <Link to="repoEpisodes" params={{ owner, repo }} query={query}>
          {name}
        </Link>{' '}
        on {robot}{' '}
        <span className="dim small">
          <Time at={requestedAt} />
          {isOutdated && '; the files have changed since'}
        </span>
        {status === 'QUEUED' && <div className="small">It waits for a worker: hub check-worker takes it.</div>}
        {status === 'RUNNING' && <div className="small">A worker makes it.</div>}
        {status === 'FAILED' && <div className="small">It failed: {error}</div>}
      </figcaption>
    </figure>
  )
}
