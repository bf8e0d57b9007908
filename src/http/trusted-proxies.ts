/** Which senders of `X-Forwarded-*` are trusted. */
import type { TrustProxy } from '../platform/config-values.ts'

/**
 * Fastify's `trustProxy`. Addresses are checked from the right, starting with the connection's own: the client is the
 * first untrusted one, and everything left of it is client input. With a plain number Fastify would trust no proxy,
 * since it cannot know who connects; here the operator guarantees that only the proxies can connect.
 */
export function trustedProxies(trust: TrustProxy): false | string[] | ((address: string, hop: number) => boolean) {
  if (typeof trust !== 'number') return [...trust]
  return trust === 0 ? false : (_address, hop) => hop < trust
}
