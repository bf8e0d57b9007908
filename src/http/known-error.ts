/** Whatever was thrown, as a row of the closed table. */
import type { FastifyRequest } from 'fastify'
import { HubError } from '../platform/errors.ts'
import { asUnavailable } from '../store/db-errors.ts'
import { storeGone } from '../store/objects/store-gone.ts'

const fastifyErrors: Readonly<Record<string, () => HubError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new HubError('too_large', 'The body is over the limit of this operation.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new HubError('validation.content_type', 'Send the body as application/json.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => new HubError('validation.json', 'The body is empty.'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => new HubError('validation.json', 'The body is not JSON.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new HubError('validation.request', 'The body is not as long as Content-Length says.'),
  FST_ERR_BAD_URL: () => new HubError('validation.request', 'The URL is not well-formed.'),
}

/** Text that PostgreSQL cannot keep: the request holds it, wherever it slipped through. */
const unstorableCodes = /^(?:22021|22P05)$/

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** What an aborted signal throws: the client went away, or the hub stops. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/** A refusal stays what it is; a database or store that does not answer is 503; the rest is 500. Logs what the hub itself is to blame for. */
export function knownError(error: unknown, request: Pick<FastifyRequest, 'log' | 'id'>): HubError {
  if (error instanceof HubError) {
    if (error.status >= 500)
      request.log.warn({ request_id: request.id, type: error.type, err: error.cause }, error.message)
    return error
  }
  // The client is gone and nothing is wrong; as a 503 it is not kept under an Idempotency-Key.
  if (isAbort(error)) return new HubError('unavailable', 'The request ended before its answer.', { cause: error })
  const code = codeOf(error)
  const known = fastifyErrors[code]
  if (known) return known()
  if (unstorableCodes.test(code))
    return new HubError('validation.value', 'A text holds a character that cannot be stored.', { cause: error })
  const unavailable = storeGone(error) ?? asUnavailable(error)
  if (unavailable instanceof HubError) {
    request.log.warn({ request_id: request.id, err: error }, 'a service that the hub needs does not answer')
    return unavailable
  }
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new HubError('validation.request', 'The request cannot be read.', { cause: error })
  request.log.error({ request_id: request.id, err: error }, 'request failed')
  return new HubError('internal', `The hub failed. Quote request ${request.id} when you report it.`, { cause: error })
}
