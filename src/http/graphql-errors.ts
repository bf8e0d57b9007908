/** GraphQL errors: the same facts as a Problem, under `extensions`. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { GraphQLError } from 'graphql'
import { errorTable, HubError, toProblem } from '../platform/errors.ts'
import { knownError } from './known-error.ts'

type RequestInfo = Pick<FastifyRequest, 'log' | 'id'>

/** Renders one error. Errors of the document itself (syntax, validation, variables) keep their message; unknown errors reveal no internals. */
export function renderError(error: unknown, request: RequestInfo): GraphQLError {
  const original = error instanceof GraphQLError ? rootCause(error) : error
  const place =
    error instanceof GraphQLError
      ? { nodes: error.nodes, source: error.source, positions: error.positions, path: error.path }
      : {}
  if (original instanceof GraphQLError) {
    const known = new HubError('validation.request', original.message)
    // Yoga takes the response status from `http` and removes it. With `spec` it would answer 200 even to a body that is not a request.
    const http = original.extensions.http ? { http: { ...original.extensions.http, spec: false } } : {}
    return new GraphQLError(original.message, {
      ...place,
      extensions: { ...facts(known, request.id, codeOf(original)), ...http },
    })
  }
  const known = knownError(original, request)
  return new GraphQLError(known.message, { ...place, extensions: facts(known, request.id) })
}

/** A result with its errors rendered. */
export function renderResult<Result extends { readonly errors?: readonly unknown[] | undefined }>(
  result: Result,
  request: RequestInfo,
): Result {
  if (!result.errors?.length) return result
  return { ...result, errors: result.errors.map((error) => renderError(error, request)) }
}

/** Sends errors from before GraphQL execution: invalid credential, rate limit, body that is not JSON. */
export function sendGraphqlError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = knownError(error, request)
  if (known.status === 401) reply.header('www-authenticate', 'Bearer')
  return reply
    .code(known.status)
    .headers(known.headers)
    .type('application/json; charset=utf-8')
    .send({ errors: [renderError(known, request)] })
}

function facts(known: HubError, requestId: string, code?: string) {
  const problem = toProblem(known, requestId)
  return { code: code ?? errorTable[known.type].code, status: problem.status, problem }
}

const codeOf = (error: GraphQLError): string | undefined =>
  typeof error.extensions.code === 'string' ? error.extensions.code : undefined

/** Resolver errors arrive wrapped, sometimes more than once; a GraphQLError that wraps nothing is about the document. */
function rootCause(error: GraphQLError): unknown {
  let current: unknown = error
  while (current instanceof GraphQLError && current.originalError) current = current.originalError
  return current
}
