/** How many archives each caller is sent at once: each reads, hashes and sums up to gigabytes on the one thread. */
import type { FastifyRequest } from 'fastify'
import { HubError } from '../platform/errors.ts'
import { type Owner, OwnerCounts, ownersOf } from './owner-counts.ts'
import { abortOnCloseOf } from './request-context.ts'

/** Per instance. */
const MOST = 2
const bounds = { credential: MOST, account: MOST, address: MOST }
/**
 * Of all callers: each holds a connection to the store for as long as its client takes, and the others of 64 are for
 * everything else that the hub does there.
 */
const MOST_OF_ALL = 16
const all: Owner = { who: 'all', whose: 'The hub', bound: MOST_OF_ALL }
const RETRY_AFTER_S = 10

/**
 * One per server: counts one more archive of the caller, until the answer has ended or the client has left. 429 over
 * the caller's limit, 503 over that of all. Nothing is counted for a client that has left already: no one would take
 * that back.
 */
export function archiveSlots(): (request: FastifyRequest) => void {
  const counts = new OwnerCounts(tooMany)
  return (request) => {
    const { signal } = abortOnCloseOf(request)
    signal.throwIfAborted()
    signal.addEventListener('abort', counts.take([...ownersOf(request, bounds), all]), { once: true })
  }
}

function tooMany(owner: Owner): HubError {
  const { whose, bound } = owner
  if (owner === all) {
    const detail = `The hub sends at most ${bound} archives at once per instance; try again, or take \`hub pull\`.`
    return new HubError('unavailable', detail, { facts: { retryAfterS: RETRY_AFTER_S } })
  }
  const detail = `${whose} downloads at most ${bound} archives at once per instance of the hub; wait for one to end.`
  return new HubError('rate.limited', detail, {
    facts: { name: 'archives', unit: 'archives', limit: bound, used: bound, retryAfterS: RETRY_AFTER_S },
  })
}
