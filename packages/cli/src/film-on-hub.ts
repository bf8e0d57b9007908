/** `hub data film --on-hub`: a film of an episode that a worker makes, and that stands on the data set. */
import { setTimeout as delay } from 'node:timers/promises'
import { type HubClient, LocalError } from '@hub/client/internal'
import type { ClientIo } from './client-output.ts'
import { type CommandResult, pathOf } from './client-session.ts'
import { inLine, print } from './terminal.ts'

/** Between two questions. */
const POLL_MS = 3000
/** A worker that waits for work takes a film within a fraction of this. */
const TAKEN_WITHIN_MS = 5000

export interface AskedFilm {
  readonly kind: 'still' | 'video'
  readonly episode: number
  readonly frame: number
  readonly robot?: string | undefined
}

/** Asks for it, waits until it is there, and says where. */
export async function filmOnHub(
  io: ClientIo,
  client: HubClient,
  what: string,
  { kind, episode, frame, robot }: AskedFilm,
): Promise<CommandResult> {
  const path = pathOf(what)
  const body = { kind, episode, ...(kind === 'still' && { frame }), ...(robot !== undefined && { robot }) }
  let film = await client.v1.requestEpisodeFilm({ path, body })
  const say = (text: string) => print(io.stderr, `hub: ${inLine(text)}\n`)
  say(`asked for a ${kind} of episode ${episode} of ${film.repo} on ${film.robot}`)
  const since = performance.now()
  let isTold = false
  while (film.status === 'queued' || film.status === 'running') {
    if (film.status === 'queued' && !isTold && performance.now() - since > TAKEN_WITHIN_MS) {
      isTold = true
      say(`it waits for a worker of ${path.owner}; start one with: hub check-worker --only films`)
    }
    await delay(POLL_MS, undefined, { signal: client.signal })
    const { items } = await client.v1.listEpisodeFilms({ path, query: { episode, limit: 100 } })
    const now = items.find(({ id }) => id === film.id)
    if (!now) throw new LocalError(`${film.id} is gone: others were asked for since. Ask again.`)
    film = now
  }
  if (film.status !== 'succeeded') throw new LocalError(`The ${kind} was not made: ${film.error}`)
  const address = `${client.url}/v1/repos/${film.repo}/episode-films/${film.id}/file`
  return { json: { ...film, address }, text: `${inLine(address)}\n` }
}
