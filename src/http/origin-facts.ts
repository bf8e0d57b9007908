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
    cookie,
    method: request.method,
    origin,
    asked: originOf(request),
    secFetchSite: typeof site === 'string' ? site : undefined,
  }
}
