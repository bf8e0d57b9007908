/** Errors below `/auth/`: a page for a browser, a Problem for a program. Contract, "Signing in from a browser". */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HubError, toProblem } from '../platform/errors.ts'
import { limitHeaders } from '../platform/limit-facts.ts'
import { sendFormPage } from './form-page.ts'
import { escapeHtml } from './html.ts'
import { knownError } from './known-error.ts'
import { pathOf } from './logger.ts'
import { sendProblem } from './send-problem.ts'

/**
 * Answers what the routes of `app` throw, and any address below `/auth/` that none of them has. Status and headers are
 * the same for both readers.
 */
export function registerAuthErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendAuthError(error, request, reply))
  // Before its body is read.
  const onRequest = async (request: FastifyRequest) => {
    throw new HubError('not_found', `Nothing found at ${pathOf(request.url).slice(0, 200)}.`)
  }
  app.all('/auth/*', { onRequest }, () => undefined)
}

function sendAuthError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = knownError(error, request)
  const problem = toProblem(known, request.id)
  if (!(request.headers.accept ?? '').includes('text/html')) return sendProblem(reply, problem, known.headers)
  reply.headers({ ...limitHeaders(problem), ...known.headers, vary: 'accept' })
  return sendFormPage(reply, problem.status, problem.title, errorPage(problem.detail, request.id))
}

/** A way on: to sign in again, and to the first page. */
function errorPage(detail: string, requestId: string): string {
  return `<p>${escapeHtml(detail)}</p><p class="actions"><a class="button primary" href="/login">Sign in</a>
    <a class="button" href="/">First page</a></p><p class="dim">Request <code>${escapeHtml(requestId)}</code></p>`
}
