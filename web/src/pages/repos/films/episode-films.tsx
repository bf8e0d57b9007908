/**
 * Pictures and short videos of episodes, or of a recorded rollout, which a worker makes; people who can write the repo
 * ask for one of what is shown.
 */
import { filmSpeed, MOST_FILMED_S } from '@hub/formats/film-speed'
import { useMutation } from 'urql'
import { Link } from '../../../app/navigate.tsx'
import { type EpisodeAddress, readAddress } from '../../../episodes/episode-address.ts'
import { Action } from '../../../ui/action.tsx'
import { messageOf } from '../../../ui/problem.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { usePoll } from '../../../ui/use-poll.ts'
import { useReading } from '../../../ui/use-reading.ts'
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
  /** The data set, or the model. */
  readonly owner: string
  readonly repo: string
}

interface PanelProps extends Props {
  /** The motion of a seed that a result of the model keeps, and its frame that is shown, and its length. */
  readonly kept?: {
    readonly rollout: string
    readonly seed: number
    readonly frame: () => number
    readonly seconds: number
  }
}

export function EpisodeFilms({ owner, repo, kept }: PanelProps) {
  const canWrite = useCanWrite(owner)
  const variables = { owner, repo, rollout: kept?.rollout ?? null, episode: kept?.seed ?? null }
  const [{ data, error }, look] = useReading({ query: episodeFilmsQuery, variables })
  const [{ fetching }, request] = useMutation(requestEpisodeFilmMutation)
  const toast = useToast()
  const films = data?.repo?.episodeFilms.nodes ?? []
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
    const { frame, ...shown } = kept
      ? { rollout: kept.rollout, episode: kept.seed, frame: kept.frame() }
      : shownEpisode(readAddress(location.search))
    const input = { owner, repo, kind, ...shown, ...(kind === 'STILL' && { frame }) }
    const answer = await request({ input })
    toast(answer.error ? messageOf(answer.error) : 'Requested: a worker will make it.')
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
      <p className="small dim">
        A video shows the whole {kept ? 'motion' : 'episode'} in {MOST_FILMED_S} seconds at most: a longer one plays
        faster than it was.
      </p>
      {data === undefined && !error && <Loading />}
      <ul className="lines">
        {films.map((film) => (
          <li key={film.id}>
            <ShownFilm film={film} owner={owner} repo={repo} speed={kept ? filmSpeed(kept.seconds) : 1} />
            {canWrite && <DeleteFilm film={film} owner={owner} repo={repo} finished={look} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

const isOpen = ({ status }: Film) => status === 'QUEUED' || status === 'RUNNING'

const shownEpisode = ({ episode, frame, robot }: EpisodeAddress) => ({ episode, frame, robot })

function placeOf({ kind, episode, frame, rolloutId }: Film) {
  const shown = `${rolloutId === null ? 'episode' : 'seed'} ${episode}`
  return kind === 'STILL' ? `${shown}, frame ${frame}` : shown
}

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
          ? `It would show ${film.robot ?? 'a robot that is hidden from you, or deleted'}. No worker will finish it.`
          : 'Links to it stop working, and a README no longer shows it. It can be made again.'}
      </p>
    </Action>
  )
}

interface LinkProps extends Props {
  readonly film: Film
  readonly children: string
}

/** To what it shows. A recorded rollout is on the page of its robot, which may be hidden. */
function FilmLink({ film: { episode, frame, robot, rolloutId }, owner, repo, children }: LinkProps) {
  const at = { frame: String(frame) }
  if (rolloutId === null) {
    const query = { episode: String(episode), ...at, ...(robot !== null && { robot }) }
    return (
      <Link to="repoEpisodes" params={{ owner, repo }} query={query}>
        {children}
      </Link>
    )
  }
  const [robotOwner, slug] = robot?.split('/') ?? []
  if (robotOwner === undefined || slug === undefined) return children
  const query = { one: `${owner}/${repo}/${rolloutId}`, seed: String(episode), kept: '1', ...at }
  return (
    <Link to="repoRollouts" params={{ owner: robotOwner, repo: slug }} query={query}>
      {children}
    </Link>
  )
}

/** `speed`: of a video, where the length of its episode is known here, else 1. */
function ShownFilm({ film, owner, repo, speed }: Props & { readonly film: Film; readonly speed: number }) {
  const { id, kind, robot, status, error, requestedAt, isOutdated } = film
  // A video goes on while the list is read again.
  const url = film.url && lastingUrl({ of: id, url: film.url })
  const name = placeOf(film).replace(/^[es]/, (first) => first.toUpperCase())
  return (
    <figure className="episode-film">
      {url !== null && kind === 'STILL' && <img src={url} width={320} height={180} alt={`${name}, on ${robot}`} />}
      {url !== null && kind === 'VIDEO' && (
        <video src={url} width={320} height={180} controls muted preload="none" aria-label={`${name}, on ${robot}`} />
      )}
      <figcaption>
        <FilmLink film={film} owner={owner} repo={repo}>
          {name}
        </FilmLink>{' '}
        on {robot ?? 'a robot that is hidden from you, or deleted'}{' '}
        {kind === 'VIDEO' && speed > 1 && `${Math.round(100 * speed) / 100} times as fast as it was `}
        <span className="dim small">
          <Time at={requestedAt} />
          {isOutdated && '; the files have changed since'}
        </span>
        {status === 'QUEUED' && (
          <div className="small">
            It waits for a worker: <code>hub check-worker</code> takes it, on a machine with a Chromium.
          </div>
        )}
        {status === 'RUNNING' && <div className="small">A worker is making it.</div>}
        {status === 'FAILED' && <div className="small">It failed: {error}</div>}
      </figcaption>
    </figure>
  )
}
