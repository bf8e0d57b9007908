/** Pictures and short videos of the episodes, which a worker makes; people who can write ask for new ones. */
import { useMutation, useQuery } from 'urql'
import { Link } from '../../../app/navigate.tsx'
import { readAddress } from '../../../episodes/episode-address.ts'
import { Action } from '../../../ui/action.tsx'
import { messageOf } from '../../../ui/problem.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { usePoll } from '../../../ui/use-poll.ts'
import { lastingUrl } from '../lasting-urls.ts'
import { useCanWrite } from '../repo-frame.tsx'
import {
  deleteEpisodeFilmMutation,
  type EpisodeFilmsQuery,
  episodeFilmsQuery,
  requestEpisodeFilmMutation,
} from './films.graphql.ts'

type Film = NonNullable<EpisodeFilmsQuery['repo']>['episodeFilms']['nodes'][number]

/** Between two looks at films that wait or are being made. */
const LOOK_MS = 3000
/** At films that have ended: what others ask for and delete is seen after so long. */
const REST_MS = 15_000

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
  const isShown = canWrite || films.length > 0
  usePoll(
    () => {
      if (isShown) look()
    },
    films.some(isOpen) ? LOOK_MS : REST_MS,
  )
  if (!isShown && !error) return null
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
            {canWrite && <DeleteFilm film={film} owner={owner} repo={repo} finished={look} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

const isOpen = ({ status }: Film) => status === 'QUEUED' || status === 'RUNNING'

const placeOf = ({ kind, episode, frame }: Film) =>
  kind === 'STILL' ? `episode ${episode}, frame ${frame}` : `episode ${episode}`

function DeleteFilm({ film, owner, repo, finished }: Props & { readonly film: Film; readonly finished: () => void }) {
  const what = `the ${film.kind === 'STILL' ? 'picture' : 'video'} of ${placeOf(film)}`
  return (
    <Action
      mutation={deleteEpisodeFilmMutation}
      variables={{ input: { owner, repo, filmId: film.id } }}
      title={`${isOpen(film) ? 'Cancel' : 'Delete'} ${what}`}
      done={isOpen(film) ? 'It is canceled.' : 'It is deleted.'}
      className="button small danger"
      finished={finished}
    >
      <p>
        {isOpen(film)
          ? `It will show ${film.robot ?? 'a robot that is hidden from you, or deleted'}. No worker goes on with it.`
          : 'Links to it stop working, and a README no longer shows it. It can be made again.'}
      </p>
    </Action>
  )
}

function ShownFilm({ film, owner, repo }: Props & { readonly film: Film }) {
  const { id, kind, episode, frame, robot, status, error, requestedAt, isOutdated } = film
  // A video goes on while the list is read again.
  const url = film.url && lastingUrl({ of: id, url: film.url })
  const name = placeOf(film).replace(/^e/, 'E')
  const query = { episode: String(episode), frame: String(frame), ...(robot !== null && { robot }) }
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
        on {robot ?? 'a robot that is hidden from you, or deleted'}{' '}
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
