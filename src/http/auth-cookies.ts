/** What the routes below `/auth/` share: the cookies they set, and the members of their bodies. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Auth } from '../auth/auth.ts'
import { isHttps } from '../auth/authenticate.ts'
import { cookieHeader, SESSION_COOKIE } from '../auth/cookie.ts'
import { LOGIN_TTL_SECONDS } from '../auth/login-flow.ts'
import { invalid } from '../platform/errors.ts'
import { originOf } from './asked-origin.ts'

/** The URL browsers use to reach this hub, without a trailing slash. */
export function baseUrl(auth: Auth, request: FastifyRequest): string {
  return auth.config.publicUrl ?? originOf(request)
}

/** Adds a cookie to the answer; by default one of a sign-in that has begun. */
export function setCookie({
  auth,
  reply,
  name,
  value,
  options = { path: '/auth', maxAgeSeconds: LOGIN_TTL_SECONDS },
}: {
  readonly auth: Auth
  readonly reply: FastifyReply
  readonly name: string
  readonly value: string
  readonly options?: { path: string; maxAgeSeconds: number }
}): void {
  // Without a PUBLIC_URL, a trusted proxy says whether the browser used https.
  const secure = isHttps(auth) || reply.request.protocol === 'https'
  reply.header('set-cookie', cookieHeader(name, value, { secure, ...options }))
}

/** Deletes a cookie of the routes below `/auth/`. */
export function dropCookie(auth: Auth, reply: FastifyReply, name: string): void {
  setCookie({ auth, reply, name, value: '', options: { path: '/auth', maxAgeSeconds: 0 } })
}

/** One string member of a JSON or form body; 422 if missing. */
export function field(request: FastifyRequest, name: string): string {
  const value = (request.body as Record<string, unknown> | null | undefined)?.[name]
  if (typeof value === 'string') return value
  throw invalid('validation.required', `${name} is required.`, ['body', name])
}

/** The body by its shape; 422 with the first place that is missing or ill-formed. */
export function bodyOf<Shape extends z.ZodType>(request: FastifyRequest, shape: Shape): z.infer<Shape> {
  const read = shape.safeParse(request.body)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const path = (issue?.path ?? []).filter((part) => typeof part !== 'symbol')
  throw invalid('validation.value', `${path.join('.') || 'The body'} is missing or has another form.`, [
    'body',
    ...path,
  ])
}

/** Sets the cookie of a session for as long as the session lasts. */
export function setSession(auth: Auth, reply: FastifyReply, token: string): void {
  const options = { path: '/', maxAgeSeconds: auth.config.sessionTtlSeconds }
  setCookie({ auth, reply, name: SESSION_COOKIE, value: token, options })
}
