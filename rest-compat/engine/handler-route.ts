/**
 * An operation of `/v1` that is not a GraphQL document: a stream, a download, a redirect, or a body that is not JSON. Its
 * handler calls the verb itself.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Edge } from '../../src/http/server.ts'
import type { Bodies } from './bodies.ts'
import type { JsonSchema } from './openapi-schemas.ts'

export interface HandlerRoute {
  readonly operation: string
  readonly method: 'GET' | 'PUT'
  /** The body of a PUT, which is read whole, of callers with a credential. */
  readonly body?: { readonly mediaType: string; readonly limitBytes: number }
  /** With `:name` for a segment. `*` at the end is the rest of the path, with its slashes. */
  readonly path: string
  /** What the interface calls the `*`. */
  readonly rest?: string
  /** Whether HEAD is answered like GET without a body. */
  readonly answersHead: boolean
  /** Whether a query is refused. Addresses that people write into pages and links take what others add to them. */
  readonly refusesQuery?: true
  /** Its entry in the OpenAPI document, without `operationId`; null for a path outside `/v1`. */
  readonly openApi: JsonSchema | null
  /**
   * Answers a request whose viewer is known and whose path and query are valid texts. A handler that knows that nothing
   * reads the body any more gives its memory back to `bodies`.
   */
  handle(edge: Edge, request: FastifyRequest, reply: FastifyReply, bodies: Bodies): Promise<FastifyReply>
}
