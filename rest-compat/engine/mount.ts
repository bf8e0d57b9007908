/** The `/v1` dialect as the server mounts it: its routes planned once against the schema, and the document that describes them. */
import type { GraphQLSchema } from 'graphql'
import type { RestMount } from '../../src/http/server.ts'
import { planRoutes, registerRest } from './handler.ts'
import { openApiDocument } from './openapi.ts'
import type { Route } from './route.ts'

export interface RestParts {
  readonly schema: GraphQLSchema
  readonly routes: readonly Route[]
  /** The text of `<document>.graphql`. */
  readonly readDocument: (name: string) => string
}

/** Plans every route; a document that does not fit the schema stops the start. */
export function restMount(parts: RestParts): RestMount {
  const plans = planRoutes(parts)
  return {
    register: (scope, edge) => registerRest(scope, edge, plans),
    openApi: (publicUrl) => openApiDocument(plans, publicUrl),
  }
}
