/** `POST /auth/passkey`: signing in with a passkey. Contract, "Passkeys". */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CEREMONY_SECONDS, randomText } from '../accounts/passkeys/ceremony.ts'
import { signInWithPasskey, startSignIn } from '../accounts/passkeys/sign-in.ts'
import { assertedShape } from '../accounts/passkeys/webauthn.ts'
import { KNOWN_COOKIE } from '../accounts/passwords/known-browser.ts'
import type { Auth } from '../auth/auth.ts'
import { assertSameOrigin, readCookie } from '../auth/cookie.ts'
import { bodyOf, setCookie } from './auth-cookies.ts'
import { credentialsOf } from './origin-facts.ts'
import { beforeSignIn, sendSignedIn } from './password-routes.ts'

/** An answer of a device, whose parts are below 2 KiB. */
const BODY_LIMIT_BYTES = 16 * 1024

/** Names the browser in which a sign-in began, so that its answer counts in no other one. */
const BROWSER_COOKIE = 'hub_passkey'

const browserOf = (request: FastifyRequest) => readCookie(request.headers.cookie, BROWSER_COOKIE)

const signInShape = z.object({ ceremony: z.string().max(4096), ...assertedShape.shape })

/** Adds the routes. From pages of this hub alone: no other site signs its visitors in under a name of its choice. */
export function registerPasskey(app: FastifyInstance, auth: Auth): void {
  app.post('/auth/passkey/start', { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    assertSameOrigin(credentialsOf(request), auth.config.publicUrl)
    const started = await startSignIn(auth, keepBrowser(auth, request, reply))
    return reply.header('cache-control', 'no-store').send(started)
  })
  app.post('/auth/passkey', { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    assertSameOrigin(credentialsOf(request), auth.config.publicUrl)
    const { ceremony, ...answer } = bodyOf(request, signInShape)
    const { accountId, session } = await signInWithPasskey(auth, beforeSignIn(request), {
      ceremony,
      answer,
      browser: browserOf(request) ?? '',
      address: request.ip,
      known: readCookie(request.headers.cookie, KNOWN_COOKIE),
      userAgent: request.headers['user-agent'] ?? null,
    })
    return sendSignedIn({ auth, request, reply, accountId, session })
  })
}

/** The name of this browser, the same for all its tabs: one that it has stays. */
function keepBrowser(auth: Auth, request: FastifyRequest, reply: FastifyReply): string {
  const had = browserOf(request)
  const value = had !== null && /^[\w-]{43}$/.test(had) ? had : randomText()
  setCookie({ auth, reply, name: BROWSER_COOKIE, value, options: { path: '/auth', maxAgeSeconds: CEREMONY_SECONDS } })
  return value
}
