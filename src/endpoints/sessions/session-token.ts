/**
 * The token that a device shows to the server of an endpoint, which verifies it without the hub. docs/contract.md says
 * what it checks.
 */
import { signClaims } from '../../auth/signed-token.ts'
import type { SigningKey } from '../../auth/signing-keys.ts'

const SESSION_TOKEN_TYP = 'svc-session+jwt'

/** Besides `iss`. Times are seconds since 1970. */
export interface SessionClaims {
  /** The session. */
  readonly jti: string
  /** The device. */
  readonly sub: string
  /** The endpoint: a server takes tokens for its own endpoint only. */
  readonly aud: string
  readonly endpoint: string
  readonly model_sha256: string
  readonly approval: string
  /** Of the map of joints; absent without one. */
  readonly joint_map?: string
  readonly iat: number
  readonly exp: number
}

/** Signs the claims of a session's row. */
export function signSessionToken(key: SigningKey, claims: SessionClaims): Promise<string> {
  return signClaims(key, SESSION_TOKEN_TYP, { ...claims })
}
