/** Redeeming links that work once. Contract, "Links that work once": the token is in the body, never in an address. */
import { keyNameText } from '@hub/formats/text-rules'
import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { z } from 'zod'
import { joinByLink, lookAtLink } from '../accounts/links/redeem-link.ts'
import { redeemWithPasskey, startLinkPasskey } from '../accounts/links/redeem-passkey.ts'
import { redeemWithPassword } from '../accounts/links/redeem-password.ts'
import { createdShape } from '../accounts/passkeys/webauthn.ts'
import type { Auth } from '../auth/auth.ts'
import { authenticate } from '../auth/authenticate.ts'
import { assertSameOrigin } from '../auth/cookie.ts'
import { assertSession } from '../auth/policy.ts'
import { networkOf } from '../platform/network-of.ts'
import { bodyOf, field } from './auth-cookies.ts'
import { credentialsOf } from './origin-facts.ts'
import { beforeSignIn, sendSignedIn } from './password-routes.ts'

const BODY_LIMIT_BYTES = 16 * 1024

/** What a device made, for a link. */
const passkeyShape = z.object({ ceremony: z.string().max(4096), passkey_name: keyNameText, ...createdShape.shape })

/** Adds the routes, all from pages of this hub alone. */
export function registerLinks(app: FastifyInstance, auth: Auth): void {
  const post = (path: `/auth/link${string}`, answer: RouteHandlerMethod) =>
    app.post(path, { bodyLimit: BODY_LIMIT_BYTES }, answer)
  post('/auth/link/look', async (request, reply) => {
    assertOwnPage(auth, request)
    return reply.header('cache-control', 'no-store').send(await lookAtLink(auth, field(request, 'token')))
  })
  post('/auth/link', async (request, reply) => {
    assertOwnPage(auth, request)
    const { accountId, session } = await redeemWithPassword(auth, beforeSignIn(request), {
      ...invitedOf(request),
      password: field(request, 'password'),
      userAgent: request.headers['user-agent'] ?? null,
      network: networkOf(request.ip),
    })
    return sendSignedIn({ auth, request, reply, accountId, session })
  })
  post('/auth/link/passkey/start', async (request, reply) => {
    assertOwnPage(auth, request)
    return reply.header('cache-control', 'no-store').send(await startLinkPasskey(auth, invitedOf(request)))
  })
  post('/auth/link/passkey', async (request, reply) => {
    assertOwnPage(auth, request)
    const { ceremony, passkey_name: passkeyName, ...created } = bodyOf(request, passkeyShape)
    const { accountId, session } = await redeemWithPasskey(auth, beforeSignIn(request), {
      ...invitedOf(request),
      ceremony,
      created,
      passkeyName,
      userAgent: request.headers['user-agent'] ?? null,
    })
    return sendSignedIn({ auth, request, reply, accountId, session })
  })
  post('/auth/link/join', async (request, reply) => {
    assertOwnPage(auth, request)
    const viewer = await authenticate(auth, credentialsOf(request))
    const { account } = assertSession(viewer)
    await joinByLink(auth, { requestId: request.id, viewer }, field(request, 'token'), account)
    return reply.code(204).send()
  })
}

const assertOwnPage = (auth: Auth, request: FastifyRequest) =>
  assertSameOrigin(credentialsOf(request), auth.config.publicUrl)

/** The token, and whom it makes an account for. */
const invitedOf = (request: FastifyRequest) => ({
  token: field(request, 'token'),
  handle: optionalField(request, 'handle'),
  name: optionalField(request, 'name'),
})

function optionalField(request: FastifyRequest, name: string): string | null {
  const value = (request.body as Record<string, unknown> | null)?.[name]
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}
