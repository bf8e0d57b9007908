/** The cookie of a browser's session, and the rule that keeps other sites from using it. Contract, "Credentials". */
import { parseCookie, stringifySetCookie } from 'cookie'
import { HubError } from '../platform/errors.ts'

export const SESSION_COOKIE = 'hub_session'

/** The value of one cookie of a `Cookie` header; null where it is absent or empty. */
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

/** What of a request tells which site it was sent from. */
export interface OriginFacts {
  readonly method: string
  readonly origin?: string | undefined
  readonly host?: string | undefined
  readonly secFetchSite?: string | undefined
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A request that may change something came from a page of this hub: by `Origin`, else by `Sec-Fetch-Site`. Neither header is a no. */
function sameOrigin(facts: OriginFacts, publicUrl: string | null): boolean {
  if (facts.secFetchSite !== undefined && facts.secFetchSite !== 'same-origin') return false
  if (facts.origin === undefined) return facts.secFetchSite === 'same-origin'
  const origin = URL.canParse(facts.origin) ? new URL(facts.origin) : null
  if (origin === null) return false
  if (publicUrl !== null && origin.origin === new URL(publicUrl).origin) return true
  return facts.host !== undefined && origin.host === facts.host
}

/** 403 `forbidden.origin` for a request by cookie that may change something and does not come from this hub's own pages. */
export function assertSameOrigin(facts: OriginFacts, publicUrl: string | null): void {
  if (safeMethods.has(facts.method.toUpperCase()) || sameOrigin(facts, publicUrl)) return
  throw new HubError(
    'forbidden.origin',
    'A request by cookie that changes something must come from a page of this hub; a program sends `Authorization: Bearer` instead.',
  )
}
