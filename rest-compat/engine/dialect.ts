/** Routes of `/v1` planned once: each document with the sources of its variables. */
import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInputType,
  isNonNullType,
  Kind,
  typeFromAST,
  visit,
} from 'graphql'
import { type PlannedDocument, planDocument } from '../../src/http/dialect/planned-document.ts'
import type { Route, Source } from './route.ts'

export interface PlannedVariable {
  readonly name: string
  readonly type: GraphQLInputType
  readonly source: Source
  readonly hasDefault: boolean
  /** A request without it has a fault. */
  readonly isRequired: boolean
}

/** A route, with its document and the sources of its variables. */
export interface RoutePlan extends PlannedDocument {
  readonly route: Route
  readonly variables: readonly PlannedVariable[]
  /** Argument name -> variable name, to translate places that name an argument. */
  readonly argumentVariables: ReadonlyMap<string, string>
  readonly queryNames: ReadonlySet<string>
  /** The body contains free-form JSON: its numbers keep their original spelling. */
  readonly keepsNumbers: boolean
}

/**
 * Plans a route's document. A mismatch fails the start with the route's name: a document with another number of root
 * fields, a variable without a source, a source without a variable. `compiled` validates it.
 */
export function planRoute(route: Route, document: DocumentNode, dialect: GraphQLSchema): RoutePlan {
  const fail = (why: string): never => {
    throw new Error(`/v1 route ${route.operation} (${route.document}.graphql): ${why}`)
  }
  const planned = planDocument(document, dialect, fail)
  const variables = (planned.operation.variableDefinitions ?? []).map((node): PlannedVariable => {
    const name = node.variable.name.value
    const type = typeFromAST(dialect, node.type as Parameters<typeof typeFromAST>[1])
    const place = Object.hasOwn(route.params, name) ? route.params[name] : undefined
    if (!place || !isInputType(type)) return fail(`variable $${name} has no source`)
    const fault = misplaced(route, place, type)
    if (fault) fail(fault)
    const hasDefault = node.defaultValue !== undefined
    return { name, type, source: place, hasDefault, isRequired: isNonNullType(type) && !hasDefault }
  })
  for (const name of Object.keys(route.params)) {
    if (!variables.some((variable) => variable.name === name)) fail(`source ${name} has no variable`)
  }
  return {
    ...planned,
    route,
    variables,
    argumentVariables: argumentVariables(planned.document),
    queryNames: queryNames(route),
    keepsNumbers: variables.some(({ source, type }) => source.from === 'body' && holdsFreeForm(type)),
  }
}

/** Why a source does not fit the path or the input; null if it does. */
function misplaced(route: Route, source: Source, type: GraphQLInputType): string | null {
  if (source.from === 'query') return null
  if (source.from === 'path') {
    return route.path.split('/').includes(`:${source.name}`) ? null : `the path has no :${source.name}`
  }
  const input = getNullableType(type)
  if (!isInputObjectType(input)) return `${String(type)} is not an input object`
  const document = source.from === 'body' ? source.document : undefined
  if (document && !input.getFields()[document.field]) return `${input.name} has no field ${document.field}`
  for (const [name, place] of Object.entries(source.fields)) {
    const field = input.getFields()[name]
    const fault = field ? misplaced(route, place, field.type) : `${input.name} has no field ${name}`
    if (fault) return fault
  }
  return null
}

function holdsFreeForm(type: GraphQLInputType, seen = new Set<unknown>()): boolean {
  const named = getNamedType(type)
  if (!isInputObjectType(named)) return named.name === 'JSON'
  if (seen.has(named)) return false
  seen.add(named)
  return Object.values(named.getFields()).some((field) => holdsFreeForm(field.type, seen))
}

function argumentVariables(document: DocumentNode): Map<string, string> {
  const found = new Map<string, string>()
  visit(document, {
    Argument(node) {
      if (node.value.kind === Kind.VARIABLE && !found.has(node.name.value))
        found.set(node.name.value, node.value.name.value)
    },
  })
  return found
}

function queryNames(route: Route): Set<string> {
  const names = new Set<string>()
  for (const source of Object.values(route.params)) {
    const parts = source.from === 'body' || source.from === 'fields' ? Object.values(source.fields) : [source]
    for (const part of parts) if (part.from === 'query') names.add(part.name)
  }
  return names
}
