/** `POST /auth/password`: signing in with a handle and a password. Contract, "Passwords". */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { KNOWN_COOKIE, KNOWN_SECONDS, knownBrowser } from '../accounts/passwords/known-browser.ts'
import { signInWithPassword } from '../accounts/passwords/sign-in.ts'
import { type CreatedSession, revokeSession } from '../accounts/sessions.ts'
import type { Auth } from '../auth/auth.ts'
import { viewerOfToken } from '../auth/authenticate.ts'
import { assertSameOrigin, readCookie, SESSION_COOKIE } from '../auth/cookie.ts'
import { HubError } from '../platform/errors.ts'
import { field, setCookie, setSession } from './auth-cookies.ts'
import { credentialsOf } from './origin-facts.ts'

/** A handle and a password: hashing begins with a pass over all of it. */
const BODY_LIMIT_BYTES = 16 * 1024

/** The request of a sign-in as the audit log has it: who sends it is not known yet. */
export const beforeSignIn = (request: FastifyRequest) => ({ requestId: request.id, viewer: null })

/** Adds the route. From pages of this hub alone: no other site signs its visitors in under a name of its choice. */
export function registerPassword(app: FastifyInstance, auth: Auth): void {
  app.post('/auth/password', { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    assertSameOrigin(credentialsOf(request), auth.config.publicUrl)
    const { accountId, session } = await signInWithPassword(auth, beforeSignIn(request), {
      handle: field(request, 'handle'),
      password: field(request, 'password'),
      address: request.ip,
      known: readCookie(request.headers.cookie, KNOWN_COOKIE),
      userAgent: request.headers['user-agent'] ?? null,
    })
    return sendSignedIn({ auth, request, reply, accountId, session })
  })
}

/**
 * Sets the cookies of a person who has signed in; the answer itself has no token. The session that this browser had of
 * the same person ends: signing in again leaves none behind.
 */
export async function sendSignedIn({
  auth,
  request,
  reply,
  accountId,
  session,
}: {
  readonly auth: Auth
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly accountId: string
  readonly session: CreatedSession
}): Promise<FastifyReply> {
  const before = readCookie(request.headers.cookie, SESSION_COOKIE)
  const viewer = before === null ? null : await viewerOfToken(auth, before).catch(asEnded)
  if (viewer?.kind === 'session' && viewer.personId === accountId)
    await revokeSession(auth, { requestId: request.id, viewer }, viewer)
  setSession(auth, reply, session.token)
  setCookie({
    auth,
    reply,
    name: KNOWN_COOKIE,
    value: knownBrowser(auth, accountId),
    options: { path: '/auth', maxAgeSeconds: KNOWN_SECONDS },
  })
  return reply.header('cache-control', 'no-store').code(204).send()
}

/**
 * A cookie that lets no one in now is none: one of a person whom the operator keeps out, or of an identity provider
 * that is silent, keeps no one else from signing in.
 */
function asEnded(error: unknown): null {
  if (error instanceof HubError) return null
  throw error
}
