/** Errors as GraphQL shows them: the same facts as a Problem, under `extensions`. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { GraphQLError } from 'graphql'
import { errorTable, HubError, toProblem } from '../platform/errors.ts'
import { knownError } from './known-error.ts'

type Asking = Pick<FastifyRequest, 'log' | 'id'>

/** One error, rendered. Errors of the document itself (syntax, validation, variables) keep their message; whatever else is unknown says nothing of its inside. */
export function renderError(error: unknown, request: Asking): GraphQLError {
  const original = error instanceof GraphQLError ? rootCause(error) : error
  const place =
    error instanceof GraphQLError
      ? { nodes: error.nodes, source: error.source, positions: error.positions, path: error.path }
      : {}
  if (original instanceof GraphQLError) {
    const known = new HubError('validation.request', original.message)
    // Yoga reads the status of the response from `http` and takes it out again. With `spec` it would answer 200 to a body that is no request at all.
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
  request: Asking,
): Result {
  if (!result.errors?.length) return result
  return { ...result, errors: result.errors.map((error) => renderError(error, request)) }
}

/** Answers what is refused before GraphQL begins: a bad credential, a spent rate, a body that is no JSON. */
export function sendRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
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

/** Resolvers' errors arrive wrapped, at times more than once; a GraphQLError that wraps nothing speaks of the document. */
function rootCause(error: GraphQLError): unknown {
  let current: unknown = error
  while (current instanceof GraphQLError && current.originalError) current = current.originalError
  return current
}
