/** Browser sign-in and sign-out. Contract, "Signing in from a browser". */
import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify'
import { openSession, revokeSession } from '../accounts/sessions.ts'
import type { Auth } from '../auth/auth.ts'
import { authenticate, forgetSession, invalidCredential, viewerOfToken } from '../auth/authenticate.ts'
import { assertSameOrigin, readCookie, SESSION_COOKIE } from '../auth/cookie.ts'
import { accountOfPerson } from '../auth/identities.ts'
import {
  type LoginState,
  openFromBrowser,
  openLoginFlow,
  type ProvenPerson,
  sealForBrowser,
} from '../auth/login-flow.ts'
import { noViewer } from '../operation/audit.ts'
import type { Deps } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { baseUrl, dropCookie, field, setCookie, setSession } from './auth-cookies.ts'
import { registerAuthErrors } from './auth-errors.ts'
import { registerDeviceLogin } from './device-login-routes.ts'
import { sendFormPage, sessionForm } from './form-page.ts'
import { escapeHtml } from './html.ts'
import { registerLinks } from './link-routes.ts'
import { credentialsOf } from './origin-facts.ts'
import { registerPasskey } from './passkey-routes.ts'
import { registerPassword } from './password-routes.ts'

const LOGIN_COOKIE = 'hub_login'
const PENDING_COOKIE = 'hub_pending'
const FORM_LIMIT_BYTES = 64 * 1024

/** An authenticated person who has not chosen a handle yet. */
interface Pending extends ProvenPerson {
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
    registerPassword(app, auth)
    registerPasskey(app, auth)
    registerLinks(app, auth)
    registerDeviceLogin(app, auth, deps)
  }
}

function registerLogin(app: FastifyInstance, auth: Auth): void {
  const flow = openLoginFlow(auth)
  app.get('/auth/login', async (request, reply) => {
    const { return_to, again } = request.query as { return_to?: unknown; again?: unknown }
    const callback = `${baseUrl(auth, request)}/auth/callback`
    const { url, kept } = await flow.begin(callback, ownPath(return_to), again === '1')
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
    const proven = await flow.finish(new URL(request.url, baseUrl(auth, request)), kept)
    return signIn(auth, reply, { ...proven, returnTo: kept.returnTo })
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
      const signedInSecondsAgo = secondsSince(pending.signedInAtMs)
      return openSession({
        auth,
        tx,
        ctx: noViewer,
        user,
        ttlSeconds: sessionTtlSeconds,
        userAgent,
        signedInSecondsAgo,
      })
    })
    dropCookie(auth, reply, PENDING_COOKIE)
    setSession(auth, reply, session.token)
    return reply.header('cache-control', 'no-store').redirect(pending.returnTo, 303)
  } catch (error) {
    if (!(error instanceof HubError && error.type === 'auth.handle_taken')) throw error
    setCookie({ auth, reply, name: PENDING_COOKIE, value: sealForBrowser(auth, PENDING_COOKIE, pending) })
    return sendFormPage(reply, 409, 'Choose a handle', handleForm(pending.person.proposedHandle))
  }
}

const secondsSince = (atMs: number | null) => (atMs === null ? null : Math.max(0, (Date.now() - atMs) / 1000))

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
    const viewer = await authenticate(auth, credentialsOf(request)).catch(ifDisabled)
    if (viewer?.kind === 'session') await revokeSession(auth, { requestId: request.id, viewer }, viewer)
    reply.header('set-cookie', forgetSession(auth))
    const wantsPage = request.headers.accept?.includes('text/html') ?? false
    return wantsPage ? reply.redirect('/', 303) : reply.code(204).send()
  })
}

/** A disabled account's session has ended; its browser may forget it all the same. */
function ifDisabled(error: unknown): null {
  if (error instanceof HubError && error.type === 'auth.disabled') return null
  throw error
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
