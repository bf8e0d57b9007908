/**
 * A browser in which a person has signed in with their password keeps a cookie that says so. Its attempts are counted
 * by themselves, so that guesses made elsewhere delay no one who has signed in before (OWASP, "device cookies").
 */
import { randomBytes } from 'node:crypto'
import type { Auth } from '../../auth/auth.ts'
import { openSealed, seal } from '../../store/seal.ts'

export const KNOWN_COOKIE = 'hub_known'
export const KNOWN_SECONDS = 180 * 86_400

/** What the seal is for, which also keeps any other sealed cookie from being taken for this one. */
const PURPOSE = 'known-browser'

interface Known {
  readonly accountId: string
  readonly browser: string
  readonly endsAtMs: number
}

/** A cookie for this browser and account; it proves nothing but an earlier sign-in. */
export function knownBrowser(auth: Pick<Auth, 'secret'>, accountId: string): string {
  const browser = randomBytes(16).toString('base64url')
  const known: Known = { accountId, browser, endsAtMs: Date.now() + KNOWN_SECONDS * 1000 }
  return seal(auth.secret, PURPOSE, Buffer.from(JSON.stringify(known))).toString('base64url')
}

/** The browser of a cookie, if the account has signed in there; else null. */
export function browserOf(auth: Pick<Auth, 'secret'>, cookie: string | null, accountId: string | null): string | null {
  if (cookie === null || accountId === null) return null
  try {
    const known = JSON.parse(
      openSealed(auth.secret, PURPOSE, Buffer.from(cookie, 'base64url')).toString('utf8'),
    ) as Known
    return known.accountId === accountId && known.endsAtMs > Date.now() ? known.browser : null
  } catch {
    return null
  }
}
