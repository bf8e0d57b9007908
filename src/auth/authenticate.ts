/**
 * Turns a request's credential into a viewer. Contract, "Credentials": no credential means anonymous, an invalid one is
 * 401 everywhere.
 */

import { isKeyToken } from '@hub/formats/key-token'
import { decodeProtectedHeader } from 'jose'
import type { Credentialed, Viewer } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { isAdmitted } from './admitted.ts'
import { looksLikeKey, tokenDigest } from './api-key.ts'
import type { Auth } from './auth.ts'
import { assertSameOrigin, cookieHeader, type OriginFacts, readCookie, SESSION_COOKIE } from './cookie.ts'
import { keyByDigest, keyViewer, sessionById, sessionViewer } from './credential-rows.ts'
import { SESSION_TYP, verifySession } from './session-token.ts'

/** The relevant headers, as sent by the client. */
export interface CredentialRequest extends OriginFacts {
  readonly authorization?: string | undefined
  /** The complete `Cookie` header. */
  readonly cookie?: string | undefined
}

const anonymous: Viewer = { kind: 'anonymous' }

/** 401 `auth.invalid`: the same response for unknown, expired and revoked, which reveals nothing to guessers. */
export function invalidCredential(headers: Record<string, string> = {}): HubError {
  return new HubError('auth.invalid', 'The credential is unknown, expired or revoked.', {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"', ...headers },
  })
}

/** The viewer of a request. One statement for a key or a session. `Authorization` wins over the cookie. */
export async function authenticate(auth: Auth, request: CredentialRequest): Promise<Viewer> {
  if (request.authorization !== undefined) {
    const [, token] = /^bearer +([^\s]+) *$/i.exec(request.authorization) ?? []
    const viewer = token === undefined ? null : await viewerOfToken(auth, token)
    if (viewer === null) throw invalidCredential()
    return viewer
  }
  const cookie = readCookie(request.cookie, SESSION_COOKIE)
  if (cookie === null) return anonymous
  assertSameOrigin(request, auth.config.publicUrl)
  const viewer = looksLikeKey(cookie) ? null : await viewerOfToken(auth, cookie)
  if (viewer === null) throw invalidCredential({ 'Set-Cookie': forgetSession(auth) })
  return viewer
}

/**
 * Deletes the cookie of an ended session: a browser page cannot delete an HttpOnly cookie, and every request would be
 * 401 until it expires.
 */
export function forgetSession(auth: Auth): string {
  return cookieHeader(SESSION_COOKIE, '', { secure: isHttps(auth), maxAgeSeconds: 0 })
}

/** Whether the public URL is https, which makes cookies Secure. */
export function isHttps(auth: Auth): boolean {
  return auth.config.publicUrl?.startsWith('https:') ?? false
}

/** The viewer of a bearer token; null if it is invalid. */
export async function viewerOfToken(auth: Auth, token: string): Promise<Credentialed | null> {
  if (looksLikeKey(token)) return viewerOfKey(auth, token)
  if (tokenType(token) === SESSION_TYP) return viewerOfSession(auth, token)
  return auth.oidc === null ? null : auth.oidc.viewerOf(token)
}

async function viewerOfKey(auth: Auth, token: string): Promise<Credentialed | null> {
  if (!isKeyToken(token)) return null
  const [row] = await auth.db.query(keyByDigest, { tokenSha256: tokenDigest(token) })
  if (!row || !isAdmitted(row)) return null
  auth.usage.touch(row.id)
  return keyViewer(row)
}

async function viewerOfSession(auth: Auth, token: string): Promise<Credentialed | null> {
  const claims = await verifySession(auth.keys, token)
  if (claims === null) return null
  const [row] = await auth.db.query(sessionById, { id: claims.sessionId, accountId: claims.accountId })
  if (!row || !isAdmitted(row)) return null
  auth.usage.touch(row.id)
  return sessionViewer(row)
}

function tokenType(token: string): string | null {
  try {
    return decodeProtectedHeader(token).typ ?? null
  } catch {
    return null
  }
}
