/** The token with which a device opens its link: signed by the hub, verified here without asking it. */
import { errors, jwtVerify } from 'jose'
import type { HubKeys } from './hub-keys.ts'

const TYP = 'svc-session+jwt'
/** The same for every deployment: its keys tie a token to it. */
const ISSUER = 'hub'

export interface SessionClaims {
  /** The session. */
  readonly id: string
  /** The device. */
  readonly device: string
  readonly expiresAtMs: number
  /** Fingerprint of the map of joints that a person approved; null without one. */
  readonly jointMap: string | null
  /** The key that signed it. */
  readonly kid: string
}

/** What this server serves. */
export interface Served {
  readonly endpoint: string
  readonly modelSha256: string
}

/** Null for every token that does not open a link to this endpoint and these bytes now. */
export async function verifySessionToken(keys: HubKeys, served: Served, token: string): Promise<SessionClaims | null> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys.keyOf, {
      typ: TYP,
      algorithms: ['EdDSA'],
      issuer: ISSUER,
      audience: served.endpoint,
      requiredClaims: ['jti', 'sub', 'exp', 'endpoint', 'model_sha256'],
    })
    const { jti, sub, exp, endpoint, model_sha256: modelSha256, joint_map: jointMap = null } = payload
    if (endpoint !== served.endpoint || modelSha256 !== served.modelSha256) return null
    if (typeof jti !== 'string' || typeof sub !== 'string' || exp === undefined) return null
    if (jointMap !== null && typeof jointMap !== 'string') return null
    return { id: jti, device: sub, expiresAtMs: exp * 1000, jointMap, kid: protectedHeader.kid ?? '' }
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

/** The token in `api_key`, or in `Authorization` as `Api-Key` or `Bearer`; null if there is none, or more than one. */
export function presentedToken(headers: NodeJS.Dict<string | string[]>): string | null {
  const { api_key: own, authorization } = headers
  const [, inline] = /^(?:Api-Key|Bearer) +(\S+)$/i.exec(typeof authorization === 'string' ? authorization : '') ?? []
  const tokens = [own, inline].filter((one) => one !== undefined)
  const [token] = tokens
  // One that is repeated, or two that differ, is someone's mistake or attempt.
  return tokens.every((one) => one === token) && typeof token === 'string' && token.length <= MAX_TOKEN ? token : null
}

const MAX_TOKEN = 4_096
