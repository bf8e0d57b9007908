/** The session cookie, and the same-origin rule that protects it. Contract, "Credentials". */
import { parseCookie, stringifySetCookie } from 'cookie'
import { HubError } from '../platform/errors.ts'

export const SESSION_COOKIE = 'hub_session'

/** The value of one cookie in a `Cookie` header; null if absent or empty. */
export function readCookie(header: string | undefined, name: string): string | null {
  return parseCookie(header ?? '')[name] || null
}

/** A `Set-Cookie` value: HttpOnly, SameSite=Lax, Secure on https. `maxAgeSeconds` 0 deletes the cookie. */
export function cookieHeader(
  name: string,
  value: string,
  options: { secure: boolean; maxAgeSeconds: number; path?: string },
): string {
  const { secure, maxAgeSeconds: maxAge, path = '/' } = options
  return stringifySetCookie({ name, value, maxAge, path, httpOnly: true, secure, sameSite: 'lax' })
}

/** The headers that show which site sent a request. */
export interface OriginFacts {
  readonly method: string
  readonly origin?: string | undefined
  /**
   * The origin that the request was sent to, as far as the hub can tell: behind a proxy that ends TLS and does not say
   * so, its scheme is http.
   */
  readonly asked: string
  readonly secFetchSite?: string | undefined
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether a page of this hub sent the request: by `Origin`, otherwise by `Sec-Fetch-Site`. Without either header:
 * false.
 */
function sameOrigin(facts: OriginFacts, publicUrl: string | null): boolean {
  if (facts.secFetchSite !== undefined && facts.secFetchSite !== 'same-origin') return false
  if (facts.origin === undefined) return facts.secFetchSite === 'same-origin'
  const origin = URL.canParse(facts.origin) ? new URL(facts.origin) : null
  if (origin === null) return false
  const own = publicUrl === null ? null : new URL(publicUrl)
  if (origin.origin === own?.origin) return true
  const asked = URL.canParse(facts.asked) ? new URL(facts.asked) : null
  if (origin.host !== asked?.host) return false
  const hasTls = asked.protocol === 'https:' || (own?.protocol === 'https:' && own.host === origin.host)
  // A page without TLS may come from anyone on the way, whatever its host.
  return origin.protocol === 'https:' || !hasTls
}

/** 403 `forbidden.origin` for a state-changing cookie request that does not come from this hub's own pages. */
export function assertSameOrigin(facts: OriginFacts, publicUrl: string | null): void {
  if (safeMethods.has(facts.method.toUpperCase()) || sameOrigin(facts, publicUrl)) return
  throw new HubError(
    'forbidden.origin',
    'A request that changes something and is authenticated by a cookie must come from a page of this hub; a ' +
      'program sends `Authorization: Bearer` instead.',
  )
}
