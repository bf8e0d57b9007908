/**
 * Messages and request parameters of the GraphQL over SSE protocol. Its words and their printing are those of the
 * package `graphql-sse`, which its clients use too.
 */
import { isJsonObject, parseExact } from '@hub/formats/exact-json'
import type { FastifyRequest } from 'fastify'
import type { ExecutionResult } from 'graphql'
import { print, TOKEN_HEADER_KEY, TOKEN_QUERY_KEY } from 'graphql-sse'
import { HubError } from '../platform/errors.ts'
import { assertFewValues } from '../platform/json-values.ts'
import type { PersistedDocuments } from './persisted-documents.ts'

/** The parameters as sent. */
export interface StreamParams {
  readonly query: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationId: string
  /** `extensions: { cost: true }`. */
  readonly showsCost: boolean
}

/**
 * Of a result: the operation on a shared connection, or where the stream continues after it, which browsers send back
 * as `Last-Event-ID`.
 */
interface MessageFacts {
  readonly id?: string
  readonly place?: string | null
}

/** A result. */
export function nextMessage(result: ExecutionResult, { id, place }: MessageFacts = {}): string {
  const message =
    id === undefined
      ? print<false, 'next'>({ event: 'next', data: result })
      : print<true, 'next'>({ event: 'next', data: { id, payload: result } })
  // The protocol has no ids of events: the line comes after that of the event.
  return place ? message.replace('\n', () => `\nid: ${place}\n`) : message
}

/** The end of an operation. */
export function completeMessage(id?: string): string {
  return id === undefined
    ? print<false, 'complete'>({ event: 'complete', data: null })
    : print<true, 'complete'>({ event: 'complete', data: { id } })
}

/** The operation in the body of a POST or in the query of a GET; 400 if there is none, 415 for another content type. */
export function readParams({ method, body, url }: FastifyRequest, persisted: PersistedDocuments): StreamParams {
  const params = method === 'GET' ? paramsOfUrl(url) : parsed('The body', typeof body === 'string' ? body : '')
  if (!isJsonObject(params)) throw malformed('The body is not a JSON object.')
  const { operationName = null, variables, extensions } = params
  const query = persisted.textOf(params)
  if (typeof query !== 'string') throw malformed('`query` is required.')
  if (operationName !== null && typeof operationName !== 'string') throw malformed('`operationName` is not a string.')
  const objects = { variables: variables ?? {}, extensions: extensions ?? {} }
  if (!isJsonObject(objects.variables)) throw malformed('`variables` is not a JSON object.')
  if (!isJsonObject(objects.extensions)) throw malformed('`extensions` is not a JSON object.')
  const { operationId, cost } = objects.extensions
  return {
    query,
    operationName,
    variables: objects.variables,
    operationId: typeof operationId === 'string' ? operationId : '',
    showsCost: cost === true,
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
    documentId: searchParams.get('documentId'),
    operationName: searchParams.get('operationName'),
    variables: json('variables'),
    extensions: json('extensions'),
  }
}

function parsed(what: string, text: string): unknown {
  assertFewValues(Buffer.from(text))
  try {
    return parseExact(text)
  } catch (cause) {
    throw new HubError('validation.json', `${what} is not JSON.`, { cause })
  }
}

/** The token of a shared stream; empty if the request names none. */
export function streamTokenOf({ headers, query }: FastifyRequest): string {
  const header = headers[TOKEN_HEADER_KEY]
  const member = (query as Readonly<Record<string, unknown>>)[TOKEN_QUERY_KEY]
  return typeof header === 'string' ? header : typeof member === 'string' ? member : ''
}

const malformed = (why: string) => new HubError('validation.request', why)
