/** The request facts for authentication. */
import type { FastifyRequest } from 'fastify'
import type { CredentialRequest } from '../auth/authenticate.ts'
import { originOf } from './asked-origin.ts'

/** The headers that identify the caller and the requesting site. */
export function credentialsOf(request: FastifyRequest): CredentialRequest {
  const { authorization, cookie, origin } = request.headers
  const site = request.headers['sec-fetch-site']
  return {
    authorization,
    cookie: cookie !== undefined && isQueryOfOtherPage(request) ? undefined : cookie,
    method: request.method,
    origin,
    asked: originOf(request),
    secFetchSite: typeof site === 'string' ? site : undefined,
  }
}

/**
 * Whether a page of another origin sends a query of the graph, which may cost what it likes of the limits of the person
 * behind the browser. Unlike a change it is not refused, but has no credential.
 */
function isQueryOfOtherPage({ method, url, headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== 'cross-site' && site !== 'same-site') return false
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && /^\/graphql\b/.test(url) && headers['sec-fetch-dest'] !== 'document'
}
