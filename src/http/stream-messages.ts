/** The messages of the GraphQL over SSE protocol, and the operation that a request of it asks for. */
import type { FastifyRequest } from 'fastify'
import type { ExecutionResult } from 'graphql'
import { HubError } from '../platform/errors.ts'
import { isJsonObject, parseExact } from '../platform/exact-json.ts'

/** What is asked for, as it came. */
export interface StreamParams {
  readonly query: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationId: string
}

/** A result; with `id` on a connection that several operations share. */
export function nextMessage(result: ExecutionResult, id?: string): string {
  return `event: next\ndata: ${JSON.stringify(id === undefined ? result : { id, payload: result })}\n\n`
}

/** The end of an operation. */
export function completeMessage(id?: string): string {
  return `event: complete\ndata:${id === undefined ? '' : ` ${JSON.stringify({ id })}`}\n\n`
}

/** The operation in the body of a POST or in the query of a GET; 400 where there is none, 415 for a body of another type. */
export function readParams({ method, body, url }: FastifyRequest): StreamParams {
  const asked = method === 'GET' ? paramsOfUrl(url) : parsed('The body', typeof body === 'string' ? body : '')
  if (!isJsonObject(asked)) throw malformed('The body is no JSON object.')
  const { query, operationName = null, variables, extensions } = asked
  if (typeof query !== 'string') throw malformed('`query` is missing: it is the text of the operation.')
  if (operationName !== null && typeof operationName !== 'string') throw malformed('`operationName` is no text.')
  const objects = { variables: variables ?? {}, extensions: extensions ?? {} }
  if (!isJsonObject(objects.variables)) throw malformed('`variables` is no JSON object.')
  if (!isJsonObject(objects.extensions)) throw malformed('`extensions` is no JSON object.')
  const { operationId } = objects.extensions
  return {
    query,
    operationName,
    variables: objects.variables,
    operationId: typeof operationId === 'string' ? operationId : '',
  }
}

function paramsOfUrl(url: string): Record<string, unknown> {
  const { searchParams } = new URL(url, 'http://hub.invalid')
  const json = (name: string) => {
    const text = searchParams.get(name)
    return text ? parsed(`The query parameter ${name}`, text) : null
  }
  return {
    query: searchParams.get('query'),
    operationName: searchParams.get('operationName'),
    variables: json('variables'),
    extensions: json('extensions'),
  }
}

function parsed(what: string, text: string): unknown {
  try {
    return parseExact(text)
  } catch (cause) {
    throw new HubError('validation.json', `${what} is not JSON.`, { cause })
  }
}

const malformed = (why: string) => new HubError('validation.request', why)
