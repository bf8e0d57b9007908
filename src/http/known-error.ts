/** Maps any thrown error to one of the closed table. */
import type { FastifyRequest } from 'fastify'
import { HubError } from '../platform/errors.ts'
import { asUnavailable } from '../store/db-errors.ts'
import { storeGone } from '../store/objects/store-gone.ts'

/** What an error is told by. A request that was never routed has no limit of a body. */
type Failed = Pick<FastifyRequest, 'log' | 'id'> & Partial<Pick<FastifyRequest, 'routeOptions' | 'headers'>>

const fastifyErrors: Readonly<Record<string, (request: Failed) => HubError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ({ routeOptions, headers }) => {
    const declared = Number(headers?.['content-length'])
    const facts = { unit: 'bytes', limit: routeOptions?.bodyLimit, used: declared > 0 ? declared : null }
    return new HubError('too_large', 'The body is over the limit of this operation.', { facts })
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ({ routeOptions }) => {
    const mediaType = routeOptions?.config?.mediaType ?? 'application/json'
    return new HubError('validation.content_type', `Send the body as ${mediaType}.`)
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: () => new HubError('validation.json', 'The body is empty.'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => new HubError('validation.json', 'The body is not JSON.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new HubError('validation.request', 'The body length does not match Content-Length.'),
  FST_ERR_BAD_URL: () => new HubError('validation.request', 'The URL is not well-formed.'),
}

/** PostgreSQL error codes for text it cannot store; such text always comes from the request. */
const unstorableCodes = /^(?:22021|22P05)$/

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Thrown by an aborted signal: the client disconnected, or the hub is shutting down. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/**
 * A HubError stays as it is; an unreachable database or store is 503; everything else is 500. Logs errors that are the
 * hub's fault.
 */
export function knownError(error: unknown, request: Failed): HubError {
  if (error instanceof HubError) {
    if (error.status >= 500)
      request.log.warn({ request_id: request.id, type: error.type, err: error.cause }, error.message)
    return error
  }
  // The client disconnected. A 503 is not stored under an Idempotency-Key.
  if (isAbort(error))
    return new HubError('unavailable', 'The request was closed before its response.', { cause: error })
  const code = codeOf(error)
  const known = fastifyErrors[code]
  if (known) return known(request)
  if (unstorableCodes.test(code))
    return new HubError('validation.value', 'A text contains a character that cannot be stored.', { cause: error })
  const unavailable = storeGone(error) ?? asUnavailable(error)
  if (unavailable instanceof HubError) {
    request.log.warn({ request_id: request.id, err: error }, 'the database or object store does not respond')
    return unavailable
  }
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new HubError('validation.request', 'The request cannot be read.', { cause: error })
  request.log.error({ request_id: request.id, err: error }, 'request failed')
  return new HubError('internal', `Internal error. Include request ${request.id} in your report.`, { cause: error })
}
