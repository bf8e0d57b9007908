/** What the statuses of errors mean, and what an error is made of, for the OpenAPI document. */
import { errorTable } from '../../src/platform/errors.ts'
import { limitHeaderMeanings, limitMeanings } from '../../src/platform/limit-texts.ts'
import type { JsonSchema } from './openapi-schemas.ts'
import type { Route } from './route.ts'

/** The same for every operation: which errors of a status an operation can have is in its own description. */
const meanings: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  401: 'The credential is missing or invalid.',
  403: 'The credential may not do this.',
  404: 'It does not exist, or is not visible to the caller.',
  408: 'The request did not arrive in time.',
  409: 'The request conflicts with the current state.',
  412: 'A condition of the request is not met.',
  413: 'A part of the request is too large, or the storage quota is full.',
  415: 'The body has another content type than `application/json`.',
  422: 'The request is invalid; `errors` names each fault and its place.',
  429: 'A rate limit or a quota is used up; `Retry-After` says when to try again, if that helps.',
  431: 'The headers of the request are too long, its path and query among them.',
  500: 'Internal error; `request_id` finds it in the log of the hub.',
  501: 'This deployment does not support the operation.',
  502: 'A service that the hub asked gave no valid answer.',
  503: 'Something that the hub needs is not set up or not available.',
}

/** The description of an error response. Throws for a status without one, so that codegen names it. */
export function errorMeaning(status: number): string {
  const meaning = meanings[status]
  if (meaning === undefined) throw new Error(`No meaning for the status ${status}.`)
  return `${meaning} \`type\` says which error it is: [all types](/problems).`
}

/** The headers in which an error of this status has its numbers, with their meanings. */
export function numbersOf({ quotas = [] }: Route, status: number): Record<string, string> {
  return status === 429 || status === 503 ? limitHeaderMeanings(status === 429 ? quotas : []) : {}
}

const text = { type: 'string' }
/** The body of every error. */
export const problemSchema: JsonSchema = {
  type: 'object',
  description: 'RFC 9457.',
  properties: {
    type: { type: 'string', format: 'uri-reference', enum: Object.keys(errorTable).map((type) => `/problems/${type}`) },
    title: text,
    status: { type: 'integer' },
    detail: text,
    instance: { type: 'string', format: 'uri-reference' },
    request_id: text,
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { type: text, detail: text, loc: { type: 'array', items: { type: ['string', 'integer'] } } },
        required: ['type', 'detail'],
        // The facts of its type, such as `limit_usd`.
        additionalProperties: true,
      },
    },
    unit: { ...text, description: limitMeanings.unit },
    limit: { type: 'number', description: limitMeanings.limit },
    used: { type: 'number', description: limitMeanings.used },
    left: { type: 'number', minimum: 0, description: limitMeanings.left },
    retry_after_s: { type: 'integer', minimum: 1, description: limitMeanings.retry_after_s },
    resets_at: { type: 'string', format: 'date-time', description: limitMeanings.resets_at },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'request_id', 'errors'],
}
