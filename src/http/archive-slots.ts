/** How many archives each caller is sent at once: each reads, hashes and sums up to gigabytes on the one thread. */
import type { FastifyRequest } from 'fastify'
import { HubError } from '../platform/errors.ts'
import { type Owner, OwnerCounts, ownersOf } from './owner-counts.ts'

/** Per instance. */
const MOST = 2
const bounds = { credential: MOST, account: MOST, address: MOST }
const RETRY_AFTER_S = 10

/** One per server: counts one more archive of the caller, until the returned function is called. 429 over the limit. */
export function archiveSlots(): (request: FastifyRequest) => () => void {
  const counts = new OwnerCounts(tooMany)
  return (request) => counts.take(ownersOf(request, bounds))
}

function tooMany({ whose, bound }: Owner): HubError {
  const detail = `${whose} downloads at most ${bound} archives at once per instance of the hub; wait for one to end.`
  return new HubError('rate.limited', detail, {
    facts: { name: 'archives', unit: 'archives', limit: bound, used: bound, retryAfterS: RETRY_AFTER_S },
  })
}
