/** Browser sign-in and sign-out. Contract, "Signing in from a browser". */
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { openSession, revokeSession } from '../accounts/sessions.ts'
import type { Auth } from '../auth/auth.ts'
import { authenticate, forgetSession, invalidCredential, isHttps, viewerOfToken } from '../auth/authenticate.ts'
import { assertSameOrigin, cookieHeader, readCookie, SESSION_COOKIE } from '../auth/cookie.ts'
import { accountOfPerson, type Person } from '../auth/identities.ts'
import {
  LOGIN_TTL_SECONDS,
  type LoginState,
  openFromBrowser,
  openLoginFlow,
  sealForBrowser,
} from '../auth/login-flow.ts'
import { noViewer } from '../operation/audit.ts'
import type { Deps } from '../operation/context.ts'
import { HubError, invalid } from '../platform/errors.ts'
import { originOf } from './asked-origin.ts'
import { registerAuthErrors } from './auth-errors.ts'
import { registerDeviceLogin } from './device-login-routes.ts'
import { sendFormPage, sessionForm } from './form-page.ts'
import { escapeHtml } from './html.ts'
import { credentialsOf } from './origin-facts.ts'

const LOGIN_COOKIE = 'hub_login'
const PENDING_COOKIE = 'hub_pending'
const FORM_LIMIT_BYTES = 64 * 1024

/** An authenticated person who has not chosen a handle yet. */
interface Pending {
  readonly person: Person
  readonly returnTo: string
}

/** Routes under /auth/, as a plugin. */
export function authRoutes(auth: Auth, deps: Deps): FastifyPluginAsync {
  return async (app) => {
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_LIMIT_BYTES },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    )
    registerAuthErrors(app)
    registerLogin(app, auth)
    registerHandleChoice(app, auth)
    registerSession(app, auth)
    registerDeviceLogin(app, auth, deps)
  }
}

function registerLogin(app: FastifyInstance, auth: Auth): void {
  const flow = openLoginFlow(auth)
  app.get('/auth/login', async (request, reply) => {
    const { return_to } = request.query as { return_to?: unknown }
    const { url, kept } = await flow.begin(`${baseUrl(auth, request)}/auth/callback`, ownPath(return_to))
    setCookie({ auth, reply, name: LOGIN_COOKIE, value: sealForBrowser(auth, LOGIN_COOKIE, kept) })
    return reply.header('cache-control', 'no-store').redirect(url.href, 303)
  })
  app.get('/auth/callback', async (request, reply) => {
    const kept = openFromBrowser<LoginState>(auth, LOGIN_COOKIE, readCookie(request.headers.cookie, LOGIN_COOKIE))
    dropCookie(auth, reply, LOGIN_COOKIE)
    if (kept === null)
      throw new HubError(
        'auth.invalid',
        'The sign-in expired or was started in another browser; start again at /auth/login.',
      )
    const person = await flow.finish(new URL(request.url, baseUrl(auth, request)), kept)
    return signIn(auth, reply, { person, returnTo: kept.returnTo })
  })
}

/**
 * Creates a session for the person; if they have no account yet and the proposed handle is unusable, shows a form to
 * choose one.
 */
async function signIn(auth: Auth, reply: FastifyReply, pending: Pending): Promise<FastifyReply> {
  const { sessionTtlSeconds } = auth.config
  const userAgent = reply.request.headers['user-agent'] ?? null
  try {
    const session = await auth.db.withTx(async (tx) => {
      const user = { id: await accountOfPerson(tx, pending.person) }
      return openSession({ auth, tx, ctx: noViewer, user, ttlSeconds: sessionTtlSeconds, userAgent })
    })
    dropCookie(auth, reply, PENDING_COOKIE)
    setCookie({
      auth,
      reply,
      name: SESSION_COOKIE,
      value: session.token,
      options: { path: '/', maxAgeSeconds: sessionTtlSeconds },
    })
    return reply.header('cache-control', 'no-store').redirect(pending.returnTo, 303)
  } catch (error) {
    if (!(error instanceof HubError && error.type === 'auth.handle_taken')) throw error
    setCookie({ auth, reply, name: PENDING_COOKIE, value: sealForBrowser(auth, PENDING_COOKIE, pending) })
    return sendFormPage(reply, 409, 'Choose a handle', handleForm(pending.person.proposedHandle))
  }
}

function registerHandleChoice(app: FastifyInstance, auth: Auth): void {
  app.post('/auth/handle', async (request, reply) => {
    const handle = field(request, 'handle')
    const { authorization, cookie } = request.headers
    if (authorization !== undefined) {
      const [, token] = /^bearer +([^\s]+) *$/i.exec(authorization) ?? []
      const viewer = token === undefined ? null : await auth.oidc?.admit(token, handle)
      if (!viewer) throw invalidCredential()
      return { account: viewer.account }
    }
    assertSameOrigin(credentialsOf(request), auth.config.publicUrl)
    const pending = openFromBrowser<Pending>(auth, PENDING_COOKIE, readCookie(cookie, PENDING_COOKIE))
    if (pending === null) throw new HubError('auth.invalid', 'The sign-in expired; start again at /auth/login.')
    return signIn(auth, reply, { ...pending, person: { ...pending.person, proposedHandle: handle } })
  })
}

function registerSession(app: FastifyInstance, auth: Auth): void {
  app.get('/auth/session', async (request, reply) => {
    const { return_to } = request.query as { return_to?: unknown }
    return sendFormPage(reply, 200, 'Use a session in this browser', sessionForm(ownPath(return_to)))
  })
  app.post('/auth/session', async (request, reply) => {
    assertSameOrigin(credentialsOf(request), auth.config.publicUrl)
    const token = field(request, 'token').trim()
    const viewer = await viewerOfToken(auth, token)
    if (viewer?.kind !== 'session' || viewer.expiresAt === null) throw invalidCredential()
    const maxAgeSeconds = Math.max(1, Math.floor((Date.parse(viewer.expiresAt) - Date.now()) / 1000))
    setCookie({ auth, reply, name: SESSION_COOKIE, value: token, options: { path: '/', maxAgeSeconds } })
    const { return_to } = request.body as Record<string, unknown>
    return reply.header('cache-control', 'no-store').redirect(ownPath(return_to), 303)
  })
  app.post('/auth/logout', async (request, reply) => {
    const viewer = await authenticate(auth, credentialsOf(request))
    if (viewer.kind === 'session') await revokeSession(auth, { requestId: request.id, viewer }, viewer)
    reply.header('set-cookie', forgetSession(auth))
    const wantsPage = request.headers.accept?.includes('text/html') ?? false
    return wantsPage ? reply.redirect('/', 303) : reply.code(204).send()
  })
}

/** The URL browsers use to reach this hub, without a trailing slash. */
function baseUrl(auth: Auth, request: FastifyRequest): string {
  return auth.config.publicUrl ?? originOf(request)
}

function setCookie({
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

function dropCookie(auth: Auth, reply: FastifyReply, name: string): void {
  setCookie({ auth, reply, name, value: '', options: { path: '/auth', maxAgeSeconds: 0 } })
}

/** One string member of a JSON or form body; 422 if missing. */
function field(request: FastifyRequest, name: string): string {
  const value = (request.body as Record<string, unknown> | null | undefined)?.[name]
  if (typeof value === 'string') return value
  throw invalid('validation.required', `${name} is required.`, ['body', name])
}

/** A page that asks for a handle again. */
function handleForm(proposed: string | null): string {
  const refused = proposed
    ? `<p>${escapeHtml(proposed)} is taken or not a valid handle (lower-case letters, digits and inner hyphens).</p>`
    : ''
  return `${refused}<form method="post" action="/auth/handle"><label>Handle
      <input name="handle" autocomplete="off" required autofocus></label> <button class="primary">Continue</button></form>`
}

/** A path of this hub, otherwise `/`: a sign-in never redirects to another site. */
function ownPath(returnTo: unknown): string {
  if (typeof returnTo !== 'string' || !returnTo.startsWith('/')) return '/'
  const base = 'http://hub.invalid'
  if (!URL.canParse(returnTo, base)) return '/'
  const url = new URL(returnTo, base)
  const path = `${url.pathname}${url.search}${url.hash}`
  return url.origin === base && !path.startsWith('//') ? path : '/'
}
