/** Which senders of `X-Forwarded-*` are believed. */
import type { TrustProxy } from '../platform/config-values.ts'

/**
 * Fastify's `trustProxy`. Addresses are counted from the right, the connection's own first: the client is the first that is not trusted, and what stands
 * left of it is what the client itself wrote. A plain number would make Fastify trust no one, since it cannot know who connects; here the operator says
 * that only the proxies can.
 */
export function trustedProxies(trust: TrustProxy): false | string[] | ((address: string, hop: number) => boolean) {
  if (typeof trust !== 'number') return [...trust]
  return trust === 0 ? false : (_address, hop) => hop < trust
}
