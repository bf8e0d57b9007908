/** Parts of the OpenAPI entries of operations without a document. */
import type { HandlerRoute } from './handler-route.ts'
import type { JsonSchema } from './openapi-schemas.ts'

export const text = { type: 'string' }

/** An error response, with the titles of its errors. */
export const problem = (description: string): JsonSchema => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

/** A parameter in the path. */
export const segment = (name: string, description: string): JsonSchema => ({
  name,
  in: 'path',
  required: true,
  schema: text,
  description,
})

/** A parameter in the query that is on or off. */
export const flag = (name: string, description: string): JsonSchema => ({
  name,
  in: 'query',
  schema: { type: 'boolean', default: false },
  description,
})

/** Errors of every such operation. */
export const everywhere = {
  '400': problem('Malformed request'),
  '401': problem('Credential missing, Credential invalid'),
  '408': problem('Request timeout'),
  '429': problem('Too many requests'),
  '431': problem('Headers too large'),
  '500': problem('Internal error'),
  '503': problem('Object store not configured, Temporarily unavailable'),
}

/** Security of an operation that anyone may call. */
export const openToAll = { security: [{}, { bearer: [] }, { session: [] }], 'x-scope': 'none' }
/** Security of an operation that needs a key that reads. */
export const forReaders = { security: [{ bearer: [] }, { session: [] }], 'x-scope': 'key:read' }

/** Security of an operation that needs a key that writes. */
export const forWriters = { security: [{ bearer: [] }, { session: [] }], 'x-scope': 'key:write' }

/** The entries of these routes, by path, as in the document's `paths`. */
export function handlerPaths(handlers: readonly HandlerRoute[]): Record<string, Record<string, JsonSchema>> {
  return Object.fromEntries(
    handlers.flatMap(({ operation, method, path, rest, openApi }) => {
      if (!openApi) return []
      const documented = path.replace(/:(\w+)/g, '{$1}').replace('*', `{${rest}}`)
      return [[documented, { [method.toLowerCase()]: { operationId: operation, ...openApi } }]]
    }),
  )
}
