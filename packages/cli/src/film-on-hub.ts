/** `hub data film --on-hub` and `--delete`, and `hub data films`: films that workers make, which stand on the data set or the model. */
import { setTimeout as delay } from 'node:timers/promises'
import { type HubClient, LocalError } from '@hub/client/internal'
import { type ClientIo, countText, sizeText } from './client-output.ts'
import { type CommandResult, pathOf } from './client-session.ts'
import { inLine, print } from './terminal.ts'

/** Between two questions. */
const POLL_MS = 3000
/** A worker that waits for work takes a film within a fraction of this. */
const TAKEN_WITHIN_MS = 5000

/** A repo keeps no more. */
const MOST_FILMS = 100

export interface AskedFilm {
  readonly kind: 'still' | 'video'
  readonly episode: number
  readonly frame: number
  readonly robot?: string | undefined
  /** Id of the result that keeps the episode; a seed names that then. */
  readonly rollout?: string | undefined
}

/** Asks for it, waits until it is there, and says where. */
export async function filmOnHub(
  io: ClientIo,
  client: HubClient,
  what: string,
  { kind, episode, frame, robot, rollout }: AskedFilm,
): Promise<CommandResult> {
  const path = pathOf(what)
  const of = { ...(robot !== undefined && { robot }), ...(rollout !== undefined && { rollout }) }
  const body = { kind, episode, ...(kind === 'still' && { frame }), ...of }
  let film = await client.v1.requestEpisodeFilm({ path, body })
  const say = (text: string) => print(io.stderr, `hub: ${inLine(text)}\n`)
  say(`asked for a ${kind} of ${episodeOf(film)} of ${film.repo} on ${film.robot ?? 'its robot'}`)
  const since = performance.now()
  let isTold = false
  while (film.status === 'queued' || film.status === 'running') {
    if (film.status === 'queued' && !isTold && performance.now() - since > TAKEN_WITHIN_MS) {
      isTold = true
      say(
        `it waits for a worker of ${path.owner}; start one where there is a Chromium (apt install chromium): hub check-worker --only films`,
      )
    }
    await delay(POLL_MS, undefined, { signal: client.signal })
    const { items } = await client.v1.listEpisodeFilms({ path, query: { episode, limit: MOST_FILMS } })
    const now = items.find(({ id }) => id === film.id)
    if (!now) throw new LocalError(`${film.id} is gone: it was deleted, or newer ones took its place. Ask again.`)
    film = now
  }
  if (film.status !== 'succeeded') throw new LocalError(`The ${kind} was not made: ${film.error}`)
  const address = addressOf(client, film)
  return { json: { ...film, address }, text: `${inLine(address)}\n` }
}

type Film = Awaited<ReturnType<HubClient['v1']['listEpisodeFilms']>>['items'][number]

const addressOf = ({ url }: HubClient, { repo, id }: Pick<Film, 'repo' | 'id'>) =>
  `${url}/v1/repos/${repo}/episode-films/${id}/file`

/** What it shows, in a few words. */
const episodeOf = ({ episode, rollout_id: rollout }: Pick<Film, 'episode' | 'rollout_id'>) =>
  rollout === null ? `episode ${episode}` : `seed ${episode} of ${rollout}`

/** Deletes one, or cancels one that is not made yet. */
export async function deleteFilm(client: HubClient, what: string, id: string): Promise<CommandResult> {
  await client.v1.deleteEpisodeFilm({ path: { ...pathOf(what), film_id: id } })
  return { json: { deleted: id }, text: inLine(`deleted the film ${id} of ${what}`).concat('\n') }
}

/** Which episodes' films are listed: all of the repo, if nothing is given. */
interface ListedFilms {
  readonly episode?: number
  readonly rollout?: string
}

/** The newest first. */
export async function listFilms(
  client: HubClient,
  what: string,
  { episode, rollout }: ListedFilms,
): Promise<CommandResult> {
  const of = { ...(episode !== undefined && { episode }), ...(rollout !== undefined && { rollout }) }
  const query = { limit: MOST_FILMS, ...of }
  const { items } = await client.v1.listEpisodeFilms({ path: pathOf(what), query })
  const rows = items.map((film) => `${inLine(lineOf(client, film))}\n`)
  return { json: { films: items }, text: `${rows.join('')}${countText(items.length, 'film')}\n` }
}

function lineOf(client: HubClient, film: Film): string {
  const { id, kind, frame, status, robot, size_bytes: size, is_outdated: isOutdated } = film
  const shows = kind === 'still' ? `${episodeOf(film)}, frame ${frame}` : episodeOf(film)
  const where = robot === null ? 'hidden: so is its robot, or it is deleted' : addressOf(client, film)
  const outcome = size === null ? (film.error ?? '') : `${sizeText(size)}  ${where}`
  return `${id}  ${kind.padEnd(5)}  ${status.padEnd(9)}  ${shows}  ${outcome}${isOutdated ? '  of older files' : ''}`.trimEnd()
}
