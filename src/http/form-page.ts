/** Pages with a form that posts to this hub. */
import type { FastifyReply } from 'fastify'
import { escapeHtml, page } from './html.ts'

/** Sends a page whose forms may post to this hub only. Their `Origin` is sent, which `no-referrer` would hide. */
export function sendFormPage(reply: FastifyReply, status: number, title: string, body: string): FastifyReply {
  const { html, policy } = page(
    title,
    `<header><a href="/"><img src="/favicon.svg" alt="" width="24" height="24"> Hub</a></header><main class="panel"><h1>${escapeHtml(title)}</h1>${body}</main>`,
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

/** Asks for a session's token; the browser then goes to `returnTo`. */
export function sessionForm(returnTo: string): string {
  return `<form method="post" action="/auth/session"><input type="hidden" name="return_to" value="${escapeHtml(returnTo)}">
    <label>Session token <input name="token" type="password" autocomplete="off" required autofocus></label> <button class="primary">Continue</button></form>`
}
