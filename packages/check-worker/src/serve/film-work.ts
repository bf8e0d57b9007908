/**
 * Films of episodes as a worker serves them: a browser without a window opens the page of the episode, or of the
 * recorded rollout.
 */
import { createHash, randomUUID } from 'node:crypto'
import { type HubClient, silent } from '@hub/client/internal'
import { withRetry } from '@hub/client/retry'
import { sendPart } from '@hub/client/send-part'
import { MOST_FILMED_S } from '@hub/formats/film-speed'
import { pagePath } from '@hub/formats/page-paths'
import { sizeText } from '@hub/text/amounts'
import { filmEpisode } from '../film/film-episode.ts'
import { type LeasedWorker, workOnLeases } from './leased-work.ts'

/** What makes films. */
export interface FilmWorker extends LeasedWorker {
  /** The path of a browser. */
  readonly program: string
  /** The key that the pages read with. */
  readonly token: string
  /** Another maker of films, for tests. */
  readonly make?: typeof filmEpisode
}

type Claimed = NonNullable<Awaited<ReturnType<HubClient['v1']['claimNextEpisodeFilm']>>>

/** Of a film: a README and a chat show it so. */
const SIZE = { width: 640, height: 360 }

/** Works until `stop` aborts, or with `once` until one film has ended. Rejects once the client gives up. */
export function workOnFilms(worker: FilmWorker): Promise<void> {
  const { client, stop, logLine } = worker
  const report = (film: Claimed, body: Report) =>
    client.v1.reportEpisodeFilm({ path: pathOf(film), body: { ...body, attempt: film.attempt }, key: randomUUID() })
  return workOnLeases<Claimed>(worker, {
    claim: (body) => client.v1.claimNextEpisodeFilm({ body, key: randomUUID(), signal: stop }),
    nameOf: ({ id, kind, episode, rollout_id: rollout, repo, robot }) =>
      `${id}, ${kind} of ${rollout === null ? 'episode' : 'seed'} ${episode} of ${repo} on ${robot ?? 'a hidden robot'}`,
    idOf: ({ id }) => id,
    beat: (film) => report(film, {}),
    async work(film, signal) {
      const bytes = await made(worker, film, signal)
      logLine(`${film.id}: ${sizeText(bytes.length)}`)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const body = { attempt: film.attempt, size: bytes.length, sha256 }
      const { url } = await client.v1.presignEpisodeFilm({ path: pathOf(film), body, key: randomUUID() })
      await withRetry(client.retry, signal, () => sendPart({ url, part: { bytes }, progress: silent, signal }))
      await report(film, { status: 'succeeded' })
    },
    fail: (film, error) => report(film, { status: 'failed', error }),
  })
}

type Report = Omit<Parameters<HubClient['v1']['reportEpisodeFilm']>[0]['body'], 'attempt'>

/** The page that shows it: of an episode that of its data set, of a recorded rollout that of its robot. */
function pageOf({ id, repo, robot, episode, frame: at, rollout_id: rollout, map_version: map }: Claimed): string {
  if (robot === null) throw new Error(`The robot of ${id} is hidden from this worker.`)
  const frame = String(at)
  if (rollout !== null) {
    const query = new URLSearchParams({ one: `${repo}/${rollout}`, seed: String(episode), kept: '1', frame })
    return `${pagePath('repoRollouts', partsOf(robot))}?${query}`
  }
  const query = new URLSearchParams({ episode: String(episode), frame, robot, kept: String(map) })
  return `${pagePath('repoEpisodes', partsOf(repo))}?${query}`
}

function partsOf(name: string) {
  const [owner = '', repo = ''] = name.split('/')
  return { owner, repo }
}

const pathOf = ({ id, repo }: Claimed) => ({ ...partsOf(repo), film_id: id })

async function made(
  { client, program, token, make = filmEpisode }: FilmWorker,
  film: Claimed,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { kind, frame } = film
  const path = pageOf(film)
  const limits = { size: SIZE, mostS: MOST_FILMED_S }
  const { still, video } = await make({
    ...{ program, hub: client.url, token, path, frame, video: kind === 'video', signal },
    ...limits,
  })
  const bytes = kind === 'video' ? video : still
  if (bytes === null) throw new Error(`The browser made no ${kind} for ${film.id}.`)
  return new Uint8Array(bytes)
}
