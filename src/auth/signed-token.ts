/**
 * The hub's signed tokens about robots: EdDSA JWTs with exactly the header members `alg`, `typ` and `kid`. Their
 * issuer, like that of session tokens, is the same on every instance; the key ties a token to its deployment.
 */
import { compactVerify, decodeProtectedHeader, errors, SignJWT } from 'jose'
import { z } from 'zod'
import { isSpelledOut } from './jws-spelling.ts'
import { ISSUER } from './session-token.ts'
import type { SigningKey, SigningKeys } from './signing-keys.ts'

/** Longer than any token that the hub signs. */
const MAX_TOKEN_LENGTH = 4096

/** Claims that all these tokens have; times are seconds since 1970. */
export const commonClaims = { iss: z.literal(ISSUER), iat: z.int(), exp: z.int() } as const

/**
 * Signs claims, which may be stored and signed again: EdDSA is deterministic, so the same claims and key give the same
 * token.
 */
export function signClaims(
  { kid, privateKey }: SigningKey,
  typ: string,
  claims: Readonly<Record<string, string | number>>,
): Promise<string> {
  return new SignJWT({ iss: ISSUER, ...claims }).setProtectedHeader({ alg: 'EdDSA', typ, kid }).sign(privateKey)
}

/** Why a text is not a token of the hub; for the audit log. */
export type TokenFault = 'missing' | 'malformed' | 'header' | 'unknown_key' | 'signature' | 'claims'

export type TokenReading<Claims> = { readonly kid: string; readonly claims: Claims } | { readonly fault: TokenFault }

/**
 * The claims of a token that one of the hub's keys signed. Their times are not checked: the database's clock decides.
 */
export async function readClaims<Claims>(
  keys: SigningKeys,
  typ: string,
  shape: z.ZodType<Claims>,
  token: string | null | undefined,
): Promise<TokenReading<Claims>> {
  if (!token) return { fault: 'missing' }
  if (token.length > MAX_TOKEN_LENGTH || token.split('.').length !== 3 || !isSpelledOut(token))
    return { fault: 'malformed' }
  const kid = kidOf(token, typ)
  if (kid === null) return { fault: 'header' }
  const key = await keys.publicKey(kid).catch(unlessJose)
  if (key === null) return { fault: 'unknown_key' }
  const verified = await compactVerify(token, key, { algorithms: ['EdDSA'] }).catch(unlessJose)
  if (verified === null) return { fault: 'signature' }
  const claims = shape.safeParse(jsonOf(verified.payload))
  return claims.success ? { kid, claims: claims.data } : { fault: 'claims' }
}

/** The `kid` of a header with exactly the hub's members; null for any other header. */
function kidOf(token: string, typ: string): string | null {
  const header = z.strictObject({ alg: z.literal('EdDSA'), typ: z.literal(typ), kid: z.string().max(64) })
  try {
    return header.safeParse(decodeProtectedHeader(token)).data?.kid ?? null
  } catch {
    return null
  }
}

function unlessJose(error: unknown): null {
  if (error instanceof errors.JOSEError) return null
  throw error
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return null
  }
}
