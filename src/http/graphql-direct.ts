/**
 * The way of a plain request to its answer without Yoga: a query or mutation that is sent as JSON by POST, which most
 * programs and the hub's own pages send. Yoga makes a request, a URL, headers, streams and a response of the Fetch
 * standard for each. Whatever is not plain goes to it, and so does each result that has an error, for its status and
 * media type: this way has no rules of its own, and `test/http/graphql-direct.test.ts` compares the two.
 */
import { isJsonObject } from '@hub/formats/exact-json'
import type { FastifyRequest } from 'fastify'
import { type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import { answerType } from './accepted-types.ts'
import { type Documents, MAX_CHARACTERS_OF_ONE, PreparedDocument } from './graphql-documents.ts'
import type { Operation } from './graphql-operation.ts'
import type { PersistedDocuments } from './persisted-documents.ts'

/** A body that is parsed once, for all who read it. */
export type ReadBody = () => unknown

/** What a plain request asks for. */
interface DirectAsk {
  /** As Yoga would read them. */
  readonly params: GraphQLParams
  readonly asked: Pick<Operation, 'schema' | 'prepared' | 'operationName' | 'variables' | 'showsCost'>
  readonly contentType: string
}

/** The result of a plain request that Yoga is to answer. */
export interface Settled {
  readonly params: GraphQLParams
  /** Null where the execution threw `failure`. */
  readonly result: ExecutionResult | null
  readonly failure: unknown
}

const known: ReadonlySet<string> = new Set(['query', 'variables', 'operationName', 'extensions', 'documentId'])

/** Null where Yoga reads the request, and says what is wrong with it. */
export function readDirect(
  { documents, persisted }: { readonly documents: Documents; readonly persisted: PersistedDocuments },
  request: FastifyRequest,
  accept: string,
  readBody: ReadBody,
): DirectAsk | null {
  if (request.method !== 'POST' || request.url.includes('?')) return null
  const contentType = answerType(accept)
  const params = contentType === null ? null : readParams(persisted, readBody)
  if (contentType === null || params === null) return null
  const { query, operationName, variables, extensions } = params
  const prepared = documents.prepare(query)
  if (!(prepared instanceof PreparedDocument)) return null
  if (params.isPersisted) prepared.notePersisted()
  const operation = getOperationAST(prepared.document, operationName)
  if (!operation || operation.operation === OperationTypeNode.SUBSCRIPTION) return null
  const showsCost = extensions?.cost === true
  return {
    params: { query, operationName: operationName ?? undefined, variables, extensions },
    asked: { schema: documents.schema, prepared, operationName, variables: variables ?? {}, showsCost },
    contentType: `${contentType}; charset=utf-8`,
  }
}

interface Params {
  readonly query: string
  /** The client named the document by its digest alone. */
  readonly isPersisted: boolean
  readonly operationName: string | undefined
  readonly variables: Record<string, unknown> | undefined
  readonly extensions: Record<string, unknown> | undefined
}

/** Null where something is not as it should be. */
function readParams(persisted: PersistedDocuments, readBody: ReadBody): Params | null {
  try {
    const body = readBody()
    if (!isJsonObject(body)) return null
    for (const name of Object.keys(body)) if (!known.has(name)) return null
    const { operationName = null, variables = null, extensions = null, documentId = null } = body
    if (operationName !== null && typeof operationName !== 'string') return null
    if (variables !== null && !isJsonObject(variables)) return null
    if (extensions !== null && !isJsonObject(extensions)) return null
    const query = persisted.textOf({ query: body.query, extensions, documentId })
    // A longer document is not kept, so Yoga would prepare it once more if it is refused.
    if (typeof query !== 'string' || query.length >= MAX_CHARACTERS_OF_ONE) return null
    return {
      query,
      isPersisted: query !== body.query,
      operationName: operationName ?? undefined,
      variables: variables ?? undefined,
      extensions: extensions ?? undefined,
    }
  } catch {
    // Read again by Yoga, whose answer says why.
    return null
  }
}

/** Reads once, and keeps what was read or why it cannot be. */
export function readOnce(read: () => unknown): ReadBody {
  let known: (() => unknown) | null = null
  return () => {
    known ??= outcomeOf(read)
    return known()
  }
}

function outcomeOf(read: () => unknown): () => unknown {
  try {
    const value = read()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}
