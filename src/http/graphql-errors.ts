/** GraphQL errors: the same facts as a Problem, under `extensions`. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ExecutionResult, GraphQLError } from 'graphql'
import { errorTable, HubError, type Problem, shownMessage, toProblem } from '../platform/errors.ts'
import { limitHeaders } from '../platform/limit-facts.ts'
import { knownError } from './known-error.ts'

type RequestInfo = Pick<FastifyRequest, 'log' | 'id'>

/**
 * Renders one error. Errors of the document itself (syntax, validation, variables) keep their message; unknown errors
 * reveal no internals.
 */
export function renderError(error: unknown, request: RequestInfo): GraphQLError {
  const original = error instanceof GraphQLError ? rootCause(error) : error
  const place =
    error instanceof GraphQLError
      ? { nodes: error.nodes, source: error.source, positions: error.positions, path: error.path }
      : {}
  if (original instanceof GraphQLError) {
    const known = new HubError('validation.request', original.message)
    // Yoga takes status and headers of its own refusals (405, 400 without a query) from `http`, and removes it.
    const http = original.extensions.http ? { http: { ...original.extensions.http, spec: isOfDocument(original) } } : {}
    return new GraphQLError(shownMessage(known), {
      ...place,
      extensions: { ...facts(known, request.id, codeOf(original)), ...http },
    })
  }
  const known = knownError(original, request)
  return new GraphQLError(shownMessage(known), { ...place, extensions: facts(known, request.id) })
}

/** Whether it is about a document or its variables, not about the request that carried them. */
const isOfDocument = ({ nodes, source }: GraphQLError): boolean => nodes !== undefined || source !== undefined

/**
 * A result without data, with the status that Yoga is to answer in each error. To a client that accepts
 * `application/json` alone, faults of the document and of its variables are 200, as GraphQL over HTTP has it; all
 * others keep their status.
 */
export function withStatus(result: ExecutionResult): ExecutionResult {
  if (result.data !== undefined) return result
  const errors = (result.errors ?? []).map((error) => {
    if (error.extensions.http) return error
    const { problem } = error.extensions as { problem: Problem }
    const spec = problem.type.startsWith('/problems/validation.')
    const http = { status: problem.status, spec, headers: limitHeaders(problem) }
    const { nodes, source, positions, path, extensions } = error
    return new GraphQLError(error.message, { nodes, source, positions, path, extensions: { ...extensions, http } })
  })
  return { ...result, errors }
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
    .headers({ ...limitHeaders(toProblem(known, request.id)), ...known.headers })
    .type('application/json; charset=utf-8')
    .send({ errors: [renderError(known, request)] })
}

function facts(known: HubError, requestId: string, code?: string) {
  const problem = toProblem(known, requestId)
  return { code: code ?? errorTable[known.type].code, status: problem.status, problem }
}

const codeOf = (error: GraphQLError): string | undefined =>
  typeof error.extensions.code === 'string' ? error.extensions.code : undefined

/**
 * Resolver errors arrive wrapped, sometimes more than once; a GraphQLError that wraps nothing is about the document.
 */
function rootCause(error: GraphQLError): unknown {
  let current: unknown = error
  while (current instanceof GraphQLError && current.originalError) current = current.originalError
  return current
}
