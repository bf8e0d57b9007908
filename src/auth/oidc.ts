/**
 * Bearer tokens of the identity provider: JWTs verified by its published keys, each backed by a session row.
 * Contract, "Credentials".
 */

import { newId } from '@hub/formats/ids'
import {
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
  type RemoteJWKSet,
} from 'jose'
import { z } from 'zod'
import type { Credentialed } from '../operation/context.ts'
import type { OidcSettings } from '../platform/config.ts'
import { HubError } from '../platform/errors.ts'
import type { Db } from '../store/db.ts'
import { insertInto } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import { isAdmitted } from './admitted.ts'
import { tokenDigest } from './api-key.ts'
import { type SessionRow, sessionByDigest, sessionViewer } from './credential-rows.ts'
import type { CredentialUsage } from './credential-usage.ts'
import { accountOfPerson, type Person } from './identities.ts'
import { isSpelledOut } from './jws-spelling.ts'

export interface Oidc {
  readonly settings: OidcSettings
  /**
   * The viewer of a bearer token; null if invalid, 503 if the issuer's keys are unavailable, 409 `auth.handle_taken` on
   * a first visit.
   */
  viewerOf(token: string): Promise<Credentialed | null>
  /** The person and expiry of a bearer token, without an account lookup; null if invalid. */
  personOf(token: string): Promise<{ readonly person: Person; readonly expiresAt: Date } | null>
  /** The viewer of a bearer token; creates the account with `handle` if there is none yet. */
  admit(token: string, handle: string): Promise<Credentialed | null>
}

const TIMEOUT_MS = 5000
/** Minimum interval between key fetches for unknown kids. */
const COOLDOWN_MS = 10_000
const DISCOVERY_RETRY_MS = 5000
/** Public-key algorithms only: with HMAC, the public key would be the secret. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

const discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) })

const sessionRow = insertInto('sessions', {
  id: param.text(),
  accountId: param.text(),
  issuer: param.text(),
  tokenSha256: param.bytea<Verified['digest']>(),
  expiresAt: param.timestamptz<Date>(),
  signedInAt: param.timestamptz.orNull<Date>(),
})

const insertSession = statement({
  name: 'oidc-session-insert',
  params: sessionRow.params,
  text: `${sessionRow.sql} on conflict (token_sha256) do nothing`,
})

/** Opens the verifier; keys are fetched at the first token, and again for an unknown kid after `cooldownMs`. */
export function openOidc(db: Db, usage: CredentialUsage, settings: OidcSettings, cooldownMs = COOLDOWN_MS): Oidc {
  const issuerKeys = discoverOnce(settings.issuer, cooldownMs)

  const verify = async (token: string): Promise<Verified | null> => {
    if (!isSpelledOut(token) || !claimsIssuer(token, settings.issuer)) return null
    try {
      const { payload, protectedHeader } = await jwtVerify(token, await issuerKeys(), {
        issuer: settings.issuer,
        audience: settings.audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['sub', 'exp'],
        clockTolerance: 5,
      })
      if (protectedHeader.typ?.toLowerCase() === 'logout+jwt') return null
      return {
        person: personOfClaims(payload, settings),
        expiresAt: new Date((payload.exp ?? 0) * 1000),
        signedInAt: signedInAt(payload),
        digest: sessionDigest(token, payload),
      }
    } catch (error) {
      if (error instanceof errors.JWKSTimeout || isFetchFault(error)) throw issuerSilent(error)
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }

  const viewerOf = async (token: string, handle: string | null): Promise<Credentialed | null> => {
    const verified = await verify(token)
    if (verified === null) return null
    const { digest } = verified
    const row = await sessionOf(digest)
    if (row) return seen(row)
    await db.withTx(async (tx) => {
      const person = handle === null ? verified.person : { ...verified.person, proposedHandle: handle }
      const accountId = await accountOfPerson(tx, person)
      await tx.query(insertSession, {
        id: newId('sess'),
        accountId,
        issuer: settings.issuer,
        tokenSha256: digest,
        expiresAt: verified.expiresAt,
        signedInAt: verified.signedInAt,
      })
    })
    const made = await sessionOf(digest)
    return made ? seen(made) : null
  }

  /** The viewer of a session that has not ended; its use is noted. */
  const seen = (row: SessionRow): Credentialed | null => {
    if (!isAdmitted(row)) return null
    usage.touch(row.id)
    return sessionViewer(row)
  }

  const sessionOf = async (digest: Buffer): Promise<SessionRow | undefined> =>
    (await db.query(sessionByDigest, { digest }))[0]

  return {
    settings,
    personOf: verify,
    viewerOf: (token) => viewerOf(token, null),
    admit: (token, handle) => viewerOf(token, handle),
  }
}

interface Verified {
  readonly person: Person
  readonly expiresAt: Date
  /** Null if the token does not tell. */
  readonly signedInAt: Date | null
  /** Hash of the token's claims, the key of its session row. */
  readonly digest: Buffer
}

/**
 * The lookup key of a token's session. A token with a `jti` has one session, however often it was signed; any other is
 * identified by its signed content. The signature is never part of the key, because for some algorithms it can be
 * changed without the private key. The subject separates people if an issuer reuses a `jti`.
 */
function sessionDigest(token: string, { iss, sub, jti }: JWTPayload): Buffer {
  if (typeof jti === 'string' && jti !== '') return tokenDigest(JSON.stringify(['jti', iss, sub, jti]))
  return tokenDigest(JSON.stringify(['signed', token.slice(0, token.lastIndexOf('.'))]))
}

/** When the person proved to the issuer who they are, or at the latest when it made the token. */
export function signedInAt({ auth_time, iat }: JWTPayload): Date | null {
  const seconds = typeof auth_time === 'number' ? auth_time : iat
  return seconds === undefined ? null : new Date(seconds * 1000)
}

/** Whether a token claims to be signed by this issuer; otherwise it is invalid even if the issuer is unreachable. */
function claimsIssuer(token: string, issuer: string): boolean {
  try {
    return ALGORITHMS.includes(decodeProtectedHeader(token).alg ?? '') && decodeJwt(token).iss === issuer
  } catch {
    return false
  }
}

/** The person in verified claims. */
export function personOfClaims(claims: JWTPayload, settings: OidcSettings): Person {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
  return {
    issuer: settings.issuer,
    subject: claims.sub ?? '',
    proposedHandle: text(claims[settings.handleClaim]),
    name: text(claims.name),
  }
}

/** The issuer's key set; its URL is discovered once, and a failed discovery is retried after a pause. */
function discoverOnce(issuer: string, cooldownMs: number): () => Promise<RemoteJWKSet> {
  let found: Promise<RemoteJWKSet> | null = null
  let retryAtMs = 0
  return () => {
    if (found !== null) return found
    if (performance.now() < retryAtMs) throw issuerSilent(undefined)
    found = discoverKeys(issuer, cooldownMs).catch((error: unknown) => {
      found = null
      retryAtMs = performance.now() + DISCOVERY_RETRY_MS
      throw issuerSilent(error)
    })
    return found
  }
}

async function discoverKeys(issuer: string, cooldownMs: number): Promise<RemoteJWKSet> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`)
  const metadata = discovery.parse(await answer.json())
  if (metadata.issuer !== issuer) throw new Error(`${address} is the metadata of another issuer`)
  return createRemoteJWKSet(keySetUrl(issuer, metadata.jwks_uri), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: cooldownMs,
  })
}

/**
 * Where an issuer has its keys. One with TLS has them with TLS: a party that could change them on
 * the way could sign in as anyone.
 */
export function keySetUrl(issuer: string, jwksUri: string): URL {
  const url = new URL(jwksUri)
  if (issuer.startsWith('https:') && url.protocol !== 'https:')
    throw new Error(`${issuer} has its keys without TLS, at ${jwksUri}`)
  return url
}

/** Whether the key set is unreachable or invalid; faults of the token itself have other error classes. */
function isFetchFault(error: unknown): boolean {
  if (error instanceof errors.JWKSInvalid) return true
  return error instanceof TypeError || (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC')
}

function issuerSilent(cause: unknown): HubError {
  return new HubError(
    'unavailable',
    'The identity provider does not answer, so its tokens cannot be checked; try again.',
    {
      cause,
      facts: { retryAfterS: 5 },
    },
  )
}
