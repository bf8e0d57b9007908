/** The `/v1` dialect for the server: its routes planned once against the schema, and its OpenAPI document. */
import type { FastifyInstance } from 'fastify'
import type { GraphQLSchema } from 'graphql'
import type { ReadDocument } from '../../src/http/dialect/documents.ts'
import { restDialect } from '../../src/http/dialect/planned-document.ts'
import type { Edge, RestMount } from '../../src/http/server.ts'
import { planRoute, type RoutePlan } from './dialect.ts'
import { registerRest } from './handler.ts'
import type { HandlerRoute } from './handler-route.ts'
import { registerHandlers } from './mount-handlers.ts'
import { openApiDocument } from './openapi.ts'
import type { Route } from './route.ts'

export interface RestParts {
  readonly schema: GraphQLSchema
  readonly routes: readonly Route[]
  /** The operations that are not documents. */
  readonly handlers: readonly HandlerRoute[]
  /** `<document>.graphql` with its fragments. */
  readonly readDocument: ReadDocument
  /** What a subject adds to every route. */
  readonly hooks?: ReadonlyArray<(scope: FastifyInstance, edge: Edge) => void>
}

/** Plans every route; fails if a document does not fit the schema. */
export function planRoutes(parts: Omit<RestParts, 'handlers'>): RoutePlan[] {
  const dialect = restDialect(parts.schema)
  return parts.routes.map((route) => planRoute(route, parts.readDocument(route.document), dialect))
}

/** `/v1` with these routes, ready to mount. */
export function restMount(parts: RestParts): RestMount {
  const plans = planRoutes(parts)
  return {
    register(scope, edge) {
      for (const hook of parts.hooks ?? []) hook(scope, edge)
      registerRest(scope, edge, plans)
      registerHandlers(scope, edge, parts.handlers)
    },
    openApi: (publicUrl) => openApiDocument({ plans, handlers: parts.handlers }, publicUrl),
  }
}
