/**
 * `/auth/device`: the page on which a person approves the sign-in of a program (`hub login`). docs/contract.md,
 * "Signing in from a terminal".
 */

import { scopeWords } from '@hub/formats/scope-words'
import { withHiddenShown } from '@hub/text/hidden-characters'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { approveDeviceLogin, denyDeviceLogin } from '../accounts/device-login/decide-device-login.ts'
import { type DeviceLogin, findDeviceLogin } from '../accounts/device-login/device-login.ts'
import type { Auth } from '../auth/auth.ts'
import { authenticate, forgetSession } from '../auth/authenticate.ts'
import { assertSameOrigin } from '../auth/cookie.ts'
import type { Deps, Viewer } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { sendFormPage, sessionForm } from './form-page.ts'
import { escapeHtml } from './html.ts'
import { knownError } from './known-error.ts'
import { credentialsOf } from './origin-facts.ts'
import { contextOf } from './request-context.ts'

const PATH = '/auth/device'
const decisions = { approve: approveDeviceLogin, deny: denyDeviceLogin }

/** Adds the page and its form. */
export function registerDeviceLogin(app: FastifyInstance, auth: Auth, deps: Deps): void {
  app.get(PATH, async (request, reply) => {
    const code = textOf((request.query as { user_code?: unknown }).user_code)
    const viewer = await visitorOf(auth, request, reply)
    if (viewer.kind !== 'session') return signInFirst(auth, reply, code)
    if (code === '') return sendFormPage(reply, 200, 'Sign in a terminal', codeForm())
    return shown(request, reply, async () => {
      const login = await findDeviceLogin(contextOf(deps, request, { viewer }), { userCode: code })
      return login.state === 'pending'
        ? sendFormPage(reply, 200, 'Sign in a terminal?', question(login, viewer.account.handle))
        : sendFormPage(reply, 200, 'Sign in a terminal', outcome(login))
    })
  })
  app.post(PATH, async (request, reply) => {
    assertSameOrigin(credentialsOf(request), auth.config.publicUrl)
    const form = (request.body ?? {}) as Record<string, unknown>
    const code = textOf(form.user_code)
    const viewer = await visitorOf(auth, request, reply)
    if (viewer.kind !== 'session') return signInFirst(auth, reply, code)
    return shown(request, reply, async () => {
      const decide = form.decision === 'approve' || form.decision === 'deny' ? decisions[form.decision] : null
      if (decide === null) throw new HubError('validation.failed', 'Choose Approve or Deny.')
      const login = await decide(contextOf(deps, request, { viewer }), { userCode: code })
      return sendFormPage(reply, 200, 'Sign in a terminal', outcome(login))
    })
  })
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '')

/** The viewer of the cookie; an ended session is a visitor who has to sign in again. */
async function visitorOf(auth: Auth, request: FastifyRequest, reply: FastifyReply): Promise<Viewer> {
  try {
    return await authenticate(auth, credentialsOf(request))
  } catch (error) {
    if (!(error instanceof HubError && error.status === 401)) throw error
    reply.header('set-cookie', forgetSession(auth))
    return { kind: 'anonymous' }
  }
}

/** To the identity provider where there is one; else the person needs the token of a session. */
function signInFirst(auth: Auth, reply: FastifyReply, code: string): FastifyReply {
  const here = code === '' ? PATH : `${PATH}?${new URLSearchParams({ user_code: code })}`
  if (auth.config.oidc?.clientId)
    return reply
      .header('cache-control', 'no-store')
      .redirect(`/auth/login?${new URLSearchParams({ return_to: here })}`, 303)
  const body = `<p>You are not signed in in this browser, and this hub has no identity provider to sign in with. Give it the token of a
    session: the operator of the hub makes one with <code>hub session add HANDLE</code>.</p>${sessionForm(here)}
    <p class="dim">Without one, stop <code>hub login</code> and give it an API key: <code>hub login --paste</code>.</p>`
  return sendFormPage(reply, 401, 'Sign in first', body)
}

/** An error of the verb as a page: a person reads it. */
async function shown(request: FastifyRequest, reply: FastifyReply, work: () => Promise<FastifyReply>) {
  try {
    return await work()
  } catch (error) {
    const known = knownError(error, request)
    reply.headers(known.headers)
    return sendFormPage(reply, known.status, 'Sign in a terminal', `<p>${escapeHtml(known.message)}</p>${codeForm()}`)
  }
}

const codeForm = () => `<p>Type the code that the terminal shows.</p><form method="get" action="${PATH}">
  <label>Code <input name="user_code" autocomplete="off" autocapitalize="characters" required autofocus></label> <button class="primary">Continue</button></form>`

function question(login: DeviceLogin, handle: string): string {
  const rows = [
    ['Code', `<code>${escapeHtml(login.userCode)}</code>`],
    ['Scope', escapeHtml(`${login.scope}: ${scopeWords[login.scope]}`)],
    ['Valid for', escapeHtml(lifetime(login.keyTtlSeconds))],
    ['Program', shownName(login)],
    ['Asks from', escapeHtml(login.address ?? 'an unknown address')],
    ['Asked at', escapeHtml(login.createdAt)],
    ['Gets a key of', escapeHtml(handle)],
  ].map(([name, value]) => `<tr><th>${name}</th><td>${value}</td></tr>`)
  return `<p>A program asks for an API key that acts as you. Approve only if you started it yourself, just now, and it shows this code and this scope.</p>
    <table>${rows.join('')}</table>
    <form method="post" action="${PATH}"><input type="hidden" name="user_code" value="${escapeHtml(login.userCode)}">
    <p class="actions"><button class="primary" name="decision" value="approve">Approve</button> <button name="decision" value="deny">Deny</button></p></form>`
}

/** Whatever program asks may name itself: nothing in the name is hidden or turned around. */
const shownName = ({ name }: DeviceLogin): string => escapeHtml(withHiddenShown(name))

function lifetime(seconds: number): string {
  const days = Math.floor(seconds / 86_400)
  return days >= 2 ? `${days} days` : `${Math.round(seconds / 360) / 10} hours`
}

function outcome(login: DeviceLogin): string {
  if (login.state === 'denied') return `<p>Denied. ${shownName(login)} gets no key.</p>`
  return `<p>Approved. ${shownName(login)} has its key within seconds; you can close this page and go back to the terminal.</p>`
}
