/** Browser sign-in and sign-out, and the hub's public keys. Contract, "Credentials". */
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
import { HubError, invalid } from '../platform/errors.ts'
import { originOf } from './asked-origin.ts'
import { escapeHtml, page } from './html.ts'
import { credentialsOf } from './origin-facts.ts'

const LOGIN_COOKIE = 'hub_login'
const PENDING_COOKIE = 'hub_pending'
const FORM_LIMIT_BYTES = 64 * 1024

/** An authenticated person who has not chosen a handle yet. */
interface Pending {
  readonly person: Person
  readonly returnTo: string
}

/** The hub's public keys, as a plugin for identified requests: readable without a credential, but an invalid one is still 401. */
export function keyRoutes(auth: Auth): FastifyPluginAsync {
  return async (app) => registerKeys(app, auth)
}

/** Routes under /auth/, as a plugin. */
export function authRoutes(auth: Auth): FastifyPluginAsync {
  return async (app) => {
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_LIMIT_BYTES },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    )
    registerLogin(app, auth)
    registerHandleChoice(app, auth)
    registerSession(app, auth)
  }
}

function registerKeys(app: FastifyInstance, auth: Auth): void {
  app.get('/.well-known/jwks.json', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=60').send({ keys: await auth.keys.jwks() }),
  )
  app.get('/v1/devices/signing-key', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=60').send((await auth.keys.jwks())[0]),
  )
}

function registerLogin(app: FastifyInstance, auth: Auth): void {
  const flow = openLoginFlow(auth)
  app.get('/auth/login', async (request, reply) => {
    const { return_to } = request.query as { return_to?: unknown }
    const { url, kept } = await flow.begin(`${baseUrl(auth, request)}/auth/callback`, ownPath(return_to))
    setCookie(auth, reply, LOGIN_COOKIE, sealForBrowser(auth, LOGIN_COOKIE, kept))
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

/** Creates a session for the person; if they have no account yet and the proposed handle is unusable, shows a form to choose one. */
async function signIn(auth: Auth, reply: FastifyReply, pending: Pending): Promise<FastifyReply> {
  const { sessionTtlSeconds } = auth.config
  try {
    const session = await auth.db.withTx(async (tx) =>
      openSession(auth, tx, noViewer, { id: await accountOfPerson(tx, pending.person) }, sessionTtlSeconds),
    )
    dropCookie(auth, reply, PENDING_COOKIE)
    setCookie(auth, reply, SESSION_COOKIE, session.token, { path: '/', maxAgeSeconds: sessionTtlSeconds })
    return reply.header('cache-control', 'no-store').redirect(pending.returnTo, 303)
  } catch (error) {
    if (!(error instanceof HubError && error.type === 'auth.handle_taken')) throw error
    setCookie(auth, reply, PENDING_COOKIE, sealForBrowser(auth, PENDING_COOKIE, pending))
    return form(
      reply,
      409,
      'Choose a handle',
      '/auth/handle',
      { name: 'handle', label: 'Handle' },
      pending.person.proposedHandle,
    )
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
  app.get('/auth/session', async (_request, reply) =>
    form(reply, 200, 'Use a session in this browser', '/auth/session', {
      name: 'token',
      label: 'Session token',
      secret: true,
    }),
  )
  app.post('/auth/session', async (request, reply) => {
    assertSameOrigin(credentialsOf(request), auth.config.publicUrl)
    const token = field(request, 'token').trim()
    const viewer = await viewerOfToken(auth, token)
    if (viewer?.kind !== 'session' || viewer.expiresAt === null) throw invalidCredential()
    const maxAgeSeconds = Math.max(1, Math.floor((Date.parse(viewer.expiresAt) - Date.now()) / 1000))
    setCookie(auth, reply, SESSION_COOKIE, token, { path: '/', maxAgeSeconds })
    return reply.header('cache-control', 'no-store').redirect('/graphql', 303)
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

/** A path of this hub, otherwise `/graphql`: a sign-in never redirects to another site. */
function ownPath(returnTo: unknown): string {
  if (typeof returnTo !== 'string' || !returnTo.startsWith('/')) return '/graphql'
  const base = 'http://hub.invalid'
  if (!URL.canParse(returnTo, base)) return '/graphql'
  const url = new URL(returnTo, base)
  const path = `${url.pathname}${url.search}${url.hash}`
  return url.origin === base && !path.startsWith('//') ? path : '/graphql'
}

function setCookie(
  auth: Auth,
  reply: FastifyReply,
  name: string,
  value: string,
  options: { path: string; maxAgeSeconds: number } = { path: '/auth', maxAgeSeconds: LOGIN_TTL_SECONDS },
): void {
  reply.header('set-cookie', cookieHeader(name, value, { secure: isHttps(auth), ...options }))
}

function dropCookie(auth: Auth, reply: FastifyReply, name: string): void {
  setCookie(auth, reply, name, '', { path: '/auth', maxAgeSeconds: 0 })
}

/** One string member of a JSON or form body; 422 if missing. */
function field(request: FastifyRequest, name: string): string {
  const value = (request.body as Record<string, unknown> | null | undefined)?.[name]
  if (typeof value === 'string') return value
  throw invalid('validation.required', `${name} is required.`, ['body', name])
}

/** A page with a one-field form that posts to this hub. */
function form(
  reply: FastifyReply,
  status: number,
  title: string,
  action: string,
  input: { name: string; label: string; secret?: boolean },
  value: string | null = null,
): FastifyReply {
  const type = input.secret ? 'password' : 'text'
  const refused = value
    ? `<p>${escapeHtml(value)} is taken or not a valid handle (lower-case letters, digits and inner hyphens).</p>`
    : ''
  const { html, policy } = page(
    title,
    `<h1>${title}</h1>${refused}<form method="post" action="${action}"><label>${input.label}
      <input name="${input.name}" type="${type}" autocomplete="off" required autofocus></label> <button>Continue</button></form>`,
  )
  return reply
    .code(status)
    .headers({
      'content-security-policy': policy.replace("form-action 'none'", "form-action 'self'"),
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
    })
    .type('text/html; charset=utf-8')
    .send(html)
}
