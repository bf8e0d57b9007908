/** The hub's own session tokens: EdDSA JWTs with `typ` `hub-session+jwt`. The row decides; the token only names it. */

import { isId } from '@hub/formats/ids'
import { errors, jwtVerify, SignJWT } from 'jose'
import { isSpelledOut } from './jws-spelling.ts'
import type { SigningKeys } from './signing-keys.ts'

export const SESSION_TYP = 'hub-session+jwt'

/**
 * The `iss` claim: the same on every instance and on the command line, independent of the URL. The keys tie a token to
 * its deployment.
 */
export const ISSUER = 'hub'

export interface SessionClaims {
  readonly accountId: string
  readonly sessionId: string
}

/** Signs the token of a session row. `expiresAt` is the row's expiry. */
export async function signSession(keys: SigningKeys, claims: SessionClaims, expiresAt: Date): Promise<string> {
  const { kid, privateKey } = await keys.current()
  return new SignJWT({ sid: claims.sessionId })
    .setProtectedHeader({ alg: 'EdDSA', typ: SESSION_TYP, kid })
    .setSubject(claims.accountId)
    .setIssuer(ISSUER)
    .setIssuedAt()
    .setExpirationTime(expiresAt)
    .sign(privateKey)
}

/** The claims of a valid, unexpired hub token; null for any other. */
export async function verifySession(keys: SigningKeys, token: string): Promise<SessionClaims | null> {
  if (!isSpelledOut(token)) return null
  try {
    const { payload } = await jwtVerify(token, (header) => keys.publicKey(header.kid), {
      typ: SESSION_TYP,
      algorithms: ['EdDSA'],
      issuer: ISSUER,
      requiredClaims: ['sub', 'sid', 'iat', 'exp'],
    })
    const { sub, sid } = payload
    if (typeof sub !== 'string' || typeof sid !== 'string' || !isId('sess', sid)) return null
    return { accountId: sub, sessionId: sid }
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}
